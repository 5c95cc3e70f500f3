# Small and large records alternate, so that reading changes between blocks and hops; every -j writes the same bytes.
python3 - <<'P'
import random, records, struct, zlib
rng = random.Random(5)
for n in range(9):
    with open('f%d' % n, 'wb') as f, open('f%d.want' % n, 'w') as want:
        at = 0
        for _ in range(400):
            size = rng.choice((0, 1, 190, 5000, 70000 if rng.random() < 0.3 else 3))
            f.write(records.header(size) + bytes(size + 4))     # no index looks at a payload
            want.write('%d %d\n' % (at, size + 16))
            at += size + 16
P
for j in 1 3 0; do
  rm -f *.idx
  tfr index -q -j $j f?; echo "status $?"
  for f in f?; do cmp $f.idx $f.want; done
done
tfr index -q f0 f0 ./f0 f0; echo "again: status $?"
