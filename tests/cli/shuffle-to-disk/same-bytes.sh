# The same bytes for any -j, any -m and any number of temporary folders; the content sum is that of the input.
python3 - <<'P'
import records
with open('a.tfrecord', 'wb') as f:
    for i in range(30000):
        f.write(records.frame(b'%d:' % i + b'x' * (i * 7919 % 1200)))
with open('b.tfrecord', 'wb') as f:
    for i in range(40):
        f.write(records.frame(b'%d:' % i + b'y' * 200000))
P
mkdir t1 t2
tfr count --sum a.tfrecord b.tfrecord
for j in 1 2 8; do
  for m in 8M 64M 1G; do
    tfr shuffle -q -j $j -m $m --seed 3 a.tfrecord b.tfrecord -o $j-$m
    tfr shuffle -q -j $j -m $m --seed 3 --tmpdir t1 --tmpdir t2 a.tfrecord b.tfrecord -o $j-$m.spread
  done
done
sha256sum -- ?-* | cut -d ' ' -f 1 | sort -u | wc -l
tfr count --sum 1-8M
tfr shuffle -q --seed 4 a.tfrecord b.tfrecord -o other
cmp -s other 1-8M || echo 'another seed, another order'
tfr cat -q -z gzip a.tfrecord -o a.gz
tfr cat -q -z zlib b.tfrecord -o b.zlib
tfr shuffle -q -m 8M --seed 3 a.gz b.zlib -o - | cmp - 1-8M && echo 'compressed and to a pipe: the same'
tfr shuffle -q --seed 3 a.tfrecord b.tfrecord -o set@16.tfrecord
tfr cat -q set@16.tfrecord | cmp - 1-8M && echo 'a set: the same order'
tfr shuffle -q --seed 3 a.tfrecord b.tfrecord -z gzip -o set@16.tfrecord.gz -m 8M
tfr cat -q set@16.tfrecord.gz | cmp - 1-8M && echo 'a compressed set: the same order'
ls -A t1 t2
