# Damage, compression and indexes.
exec 2>&1
fix() { python3 "$TOOLS"/fix.py "$@"; }
cat > make.py <<'P'
from records import bytes_list, example, frame
import random
random.seed(1)
open('all.tfrecord', 'wb').write(b''.join(frame(example({'x': bytes_list([random.randbytes(2000)])})) for i in range(4000)))
P
python3 make.py
tfr cat -q -n 40 -o few.tfrecord all.tfrecord
fresh() { rm -rf d; mkdir d; tfr cat -q -o d/train@4.tfrecord few.tfrecord; }
fresh; echo "payload:"; printf X | dd of=d/train-00001-of-00004.tfrecord bs=1 seek=100 conv=notrunc status=none; fix damage d
fresh; echo "length:"; printf X | dd of=d/train-00002-of-00004.tfrecord bs=1 seek=1 conv=notrunc status=none; tfr doctor -q d; echo "status $?"
fresh; echo "cut:"; truncate -s -5 d/train-00003-of-00004.tfrecord; truncate -s -5 d/train-00001-of-00004.tfrecord; fix damage d
echo "first things first:"; rm d/train.*.manifest.json; tfr cat -q -o d/train@2.tfrecord.gz few.tfrecord; tfr doctor -q d
echo "a file:"; cp d/train-00001-of-00004.tfrecord one.tfrecord; fix damage one.tfrecord
echo "stray:"; cp few.tfrecord stray.tfrecord; printf 'abc' >> stray.tfrecord; fix damage stray.tfrecord
fresh
echo "not-called-gz:"; tfr cat -q -f -z zlib -o d/train@4.tfrecord few.tfrecord; fix not-called-gz d
echo "called-gz:"; cp few.tfrecord few.tfrecord.gz; fix called-gz few.tfrecord.gz
echo "one-stream:"; gzip -n -1 < all.tfrecord > all.tfrecord.gz; fix one-stream all.tfrecord.gz; gzip -n < few.tfrecord > small.tfrecord.gz; tfr doctor -q small.tfrecord.gz; echo "small: status $?"
echo "stale-index:"; fresh; tfr index -q d/train@4.tfrecord; tfr doctor -q d; echo "status $?"
touch -d '2030-01-01' d/train-00002-of-00004.tfrecord; fix stale-index d
echo hello > d/train-00001-of-00004.tfrecord.idx; touch -d '2031-01-01' d/*.idx; fix stale-index d
