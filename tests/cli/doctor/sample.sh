# A sample: how much is read of how many files, what is seen in it, and that no more is read than that.
exec 2>&1
cat > make.py <<'P'
from records import bytes_list, example, int64_list, varint
import random, sys
random.seed(1)
labels = [i % 20 for i in range(8000)]
if sys.argv[1] == 'sorted':
    labels.sort()
elif sys.argv[1] == 'bursts':
    labels = [i // 100 % 20 for i in range(8000)]
else:
    random.shuffle(labels)
for c in labels:
    record = example({'label': int64_list([c]), 'x': bytes_list([random.randbytes(2000)])})
    sys.stdout.buffer.write(varint(len(record)) + record)
P
for set in good sorted bursts; do python3 make.py $set | tfr cat -q --from delimited -o $set -; done
python3 - <<'P'
from records import header
good = open('good', 'rb').read(); each = len(good) // 8000
open('cut', 'wb').write(good[:-7]); open('stray', 'wb').write(good + b'0123456789'); open('zeros', 'wb').write(good + bytes(5000))
open('flipped', 'wb').write(good[:-100] + b'X' + good[-99:])
middle = len(good) // 2; open('middle', 'wb').write(good[:middle] + bytes(4 << 20) + good[middle + (4 << 20):])
open('giant', 'wb').write(good[:each] + header(1 << 40) + good)
P
run() { tfr doctor "$@" 2>&1 | sed 's/ ([0-9.]* s)$//'; echo "status ${PIPESTATUS[0]}"; }
for set in good sorted bursts cut stray zeros flipped middle giant; do echo "$set:"; run --sample-size 1M $set; done
echo "compressed:"; tfr cat -q -z gzip -1 -o z.tfrecord.gz sorted; run --sample-size 1M z.tfrecord.gz
echo "all of it:"; run --full sorted | tail -n 2; run --sample-size 100M good
echo "many files:"; tfr cat -q -n 200 good | tfr cat -q -o many@100 -; run --sample-size 1M many@100; run --full many@100
echo "records that are larger than the sample:"; for i in 1 2 3 4; do head -c 3000000 good | tail -c 2900000 > x$i; done
python3 -c "
from records import varint
import sys
for i in range(1, 5):
    x = open('x%d' % i, 'rb').read(); sys.stdout.buffer.write(varint(len(x) + 1) + x + b'%d' % i)" | tfr cat -q --from delimited -o large -; run --sample-size 64K large
