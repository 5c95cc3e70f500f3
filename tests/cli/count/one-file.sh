# One large file is counted on all processors, by headers and by payloads: the same words as on one, whatever is wrong with it.
python3 "$TOOLS/labelled.py" part 0 2000
for _ in $(seq 40); do cat part; done > large
python3 - <<'P'
import random
import records
r = random.Random(3)
good = open('large', 'rb').read()
for k in range(4):
    bad = bytearray(good)
    bad[r.randrange(len(bad))] ^= 1 << r.randrange(8)
    open('bad%d' % k, 'wb').write(bad + b'tail' * (k % 2))
open('cut', 'wb').write(good[:-5])
open('hole', 'wb').write(good[:5 << 20] + bytes(100000) + good[5 << 20:])
open('length', 'wb').write(good + records.header(5) + b'xyz')
def frame(payload):   # no data checksum: that of megabytes takes Python seconds
    return records.header(len(payload)) + payload + b'1234'
open('nested', 'wb').write(records.frame(b'x') + frame(good) + records.frame(b'x') + frame(good[:3 << 20]))
open('giant', 'wb').write(open('part', 'rb').read() + frame(bytes(9 << 20)) + open('part', 'rb').read())
P
gzip -1 -c large > large.gz; gzip -1 -c bad2 > bad.gz
jobs='2 3 8'
[ -z "${SANITIZED-}" ] || jobs=3
for f in large bad0 bad1 bad2 bad3 cut hole length nested giant large.gz bad.gz; do
  for o in '' --sum '--sum --json'; do
    tfr count -j 1 $o $f > one 2>&1; a=$?
    for j in $jobs; do tfr count -j $j $o $f > many 2>&1; [ $? = $a ] || echo "status"; cmp one many || echo "$f $o -j $j"; done
  done
  tfr check -q --quick -j 1 $f > one; tfr check -q --quick -j 8 $f | cmp one -
  echo "$f: $(tfr count $f 2>&1 | head -n 1) | $(tfr count --sum $f 2>&1 | head -n 1)"
done
echo "with small ones, and on standard input:"
tfr count --sum --per-file -q -j 1 part bad1 part cut large > one 2>&1; tfr count --sum --per-file -q -j 8 part bad1 part cut large 2>&1 | cmp - one
for o in '' --sum; do
  tfr count $o -j 8 large; tfr count $o -j 8 - < large; cat large | tfr count $o -j 8
done
