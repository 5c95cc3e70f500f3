# The order of tf.data's interleave, for files of every length, empty ones among them, against a model in Python.
python3 - <<'P'
import random, subprocess
import records
from interleaved import interleaved
rng = random.Random(5)
for n in range(60):
    files = [[b'%d/%d' % (f, r) for r in range(rng.choice((0, 1, 2, 3, 4, 8, 9)))] for f in range(rng.randrange(1, 9))]
    for f, payloads in enumerate(files):
        open('in%d' % f, 'wb').write(b''.join(map(records.frame, payloads)))
    cycle, block = rng.randrange(1, 6), rng.randrange(1, 5)
    done = subprocess.run(['tfr', 'cat', '-q', '--interleave', '%d,%d' % (cycle, block)] +
                          ['in%d' % f for f in range(len(files))], capture_output=True, check=True)
    want = b''.join(map(records.frame, interleaved(files, cycle, block)))
    if done.stdout != want:
        print('another order', cycle, block, [len(f) for f in files])
for f in range(3):
    open('of%d' % f, 'wb').write(b''.join(records.frame(b'%d%d ' % (f, r)) for r in range(4)))
P
lay() { tfr cat -q --raw "$@"; echo; }
lay of0 of1 of2 --interleave 2,3
lay of0 of1 of2 --interleave 1,7
lay of0 of1 of2 --interleave 18446744073709551615,1
lay of0 of1 of2 --interleave 2,1 --skip 2 --limit 3
lay of0 of0 --interleave 2,1
lay of0 - of2 --interleave 3,1 < of1
# No more than CYCLE of them are open, and a set is one input a file.
python3 -c 'import sys, records; sys.stdout.buffer.write(records.frame(b"x") * 600)' | tfr cat -q -o many@300.tfrecord
(ulimit -n 40; lay many@300.tfrecord --interleave 7,1) | wc -c
(ulimit -n 40; tfr cat -q many@300.tfrecord --interleave 200,1 > /dev/null; echo "status $?") 2>&1 | sed "s/'many.*'/SHARD/"
# What is damaged takes up its place.
python3 - <<'P'
data = bytearray(open('of1', 'rb').read())
data[19 * 1 + 14] ^= 1
data[19 * 3] ^= 1
open('bad', 'wb').write(data)
P
tfr cat -q of0 bad of2 --interleave 3,1 > /dev/null; echo "status $?"
lay of0 bad of2 --interleave 3,1 --on-error skip
tfr cat of0 "$DATA/empty.tfrecord" of1 --interleave 2,2 2>&1 > /dev/null | sed 's/in [0-9.]* s/in N s/; s,/.*/,,'
for wrong in 2 2, ,2 0,1 1,0 2,1,1 '2, 1' -1,1 2,x 99999999999999999999,1; do
  tfr cat -q of0 --interleave "$wrong"; echo "status $?"
done 2>&1
