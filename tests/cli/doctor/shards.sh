# How many files there are, and how large they are.
exec 2>&1
fix() { python3 "$TOOLS"/fix.py "$@"; }
python3 - <<'P'
from records import bytes_list, example, frame
import random
random.seed(1)
open('all', 'wb').write(b''.join(frame(example({'x': bytes_list([random.randbytes(3000)])})) for i in range(1000)))
P
tfr cat -q -o s@4.tfrecord all
echo "good:"; tfr doctor -q s@4.tfrecord; echo "status $?"
echo "uneven:"; tfr cat -q --limit 900 -o u-00000-of-00002 all; tfr cat -q --skip 900 -o u-00001-of-00002 all; fix uneven u@2
echo "tiny:"; tfr cat -q -n 100 -o t@20.tfrecord all; fix tiny t@20.tfrecord
echo "files of other names:"; mkdir d; for i in 1 10 17; do tfr cat -q --skip $i --limit 12 -o d/part-$i.tfrecord all; done; fix duplicates d
echo "large:"; tfr cat -q -n 1 -o large.tfrecord all; truncate -s 2G large.tfrecord; tfr doctor -q large.tfrecord; echo "status $?"
