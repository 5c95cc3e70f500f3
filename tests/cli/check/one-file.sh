# One large file is checked on all processors: the same lines in the same order as on one, whatever is wrong with it.
python3 "$TOOLS/labelled.py" part 0 2000
for _ in $(seq 40); do cat part; done > large
python3 - <<'P'
import random
r = random.Random(8)
good = open('large', 'rb').read()
for k, flips in enumerate((1, 3, 30, 300)):
    bad = bytearray(good)
    for _ in range(flips):
        bad[r.randrange(len(bad))] ^= 1 << r.randrange(8)
    open('bad%d' % k, 'wb').write(bad + b'tail' * (k % 2))
open('cut', 'wb').write(good[:-5])
open('hole', 'wb').write(good[:2 << 20] + bytes(100000) + good[2 << 20:])
P
gzip -1 -c bad2 > bad.gz; cp large big0; head -c 3000000 large >> big0
jobs='2 3 8'
[ -z "${SANITIZED-}" ] || jobs=3   # a minute otherwise
for f in large bad0 bad1 bad2 bad3 cut hole bad.gz; do
  for o in '' --strict --example '--json'; do
    tfr check -q -j 1 $o $f > one; a=$?
    for j in $jobs; do tfr check -q -j $j $o $f > many; echo "$? $a" | grep -vE '^(0 0|1 1)$'; cmp one many || echo "$f $o -j $j"; done
  done
  echo "$f: $(tfr check -q -j 1 $f | wc -l)"
done
echo "with small ones, and on standard input:"
tfr check -q -j 1 part bad1 part cut > one; tfr check -q -j 8 part bad1 part cut | cmp - one
tfr check -q -j 8 - < bad2 | sed 's/^-:/bad2:/; s/^standard input:/bad2:/' > many; tfr check -q -j 1 bad2 | cmp - many
echo "a large record:"
python3 - <<'P'
import records
head = records.header(5 << 20)
open('giant', 'wb').write(open('part', 'rb').read() + head + bytes((5 << 20) + 4) + open('part', 'rb').read())
P
for j in 1 8; do tfr check -j $j giant 2>&1 | sed 's/(.*)//'; done
tfr cat -q large -o s@1.tfrecord; tfr check -j 8 --manifest s@1.tfrecord 2>&1 | sed 's/(.*)//'
