# The order of the first epoch of tf.data's shuffle(N, seed), against a model in Python; before --skip and --limit.
# A sanitizer needs more address space than there would be.
memory() { [ "${SANITIZED-}" ] || ulimit -v 200000; }
python3 - <<'P'
import random, subprocess
import records
from interleaved import interleaved
from shuffled import shuffled
# As TensorFlow 2.21 gives them.
assert shuffled(range(12), 5, 7) == [2, 4, 0, 3, 8, 1, 9, 10, 5, 7, 6, 11]
assert shuffled(range(9), 20, 123456789012) == [4, 6, 0, 5, 2, 7, 3, 8, 1]
rng = random.Random(6)
for n in range(40):
    files = [[b'%d/%d ' % (f, r) + rng.randbytes(rng.randrange(40)) for r in range(rng.choice((0, 1, 5, 30)))]
             for f in range(rng.randrange(1, 5))]
    for f, payloads in enumerate(files):
        open('in%d' % f, 'wb').write(b''.join(map(records.frame, payloads)))
    buffer, seed = rng.choice((1, 2, 7, 20, 1000)), rng.choice((0, 1, 2**31 - 1, 2**63))
    skip, limit = rng.choice((0, 3)), rng.choice((1, 10, 1000))
    cycle, block = rng.randrange(1, 4), rng.randrange(1, 4)
    done = subprocess.run(['tfr', 'cat', '-q', '--allow-empty', '--limit', str(limit), '--skip', str(skip), '--seed', str(seed),
                           '--shuffle-buffer', str(buffer), '--interleave', '%d,%d' % (cycle, block)] +
                          ['in%d' % f for f in range(len(files))], capture_output=True, check=True)
    want = shuffled(interleaved(files, cycle, block), buffer, seed)[skip:skip + limit]
    if done.stdout != b''.join(map(records.frame, want)):
        print('another order', cycle, block, buffer, seed, skip, limit, [len(f) for f in files])
P
# A buffer that no memory has costs what there is to hold; --where is before it.
lay() { tfr cat -q --raw "$@"; echo; }
python3 "$DATA/records.py" write 'a ' 'b ' 'c ' 'd ' 'e ' > five
(memory; lay five --shuffle-buffer 18446744073709551615)
lay five --shuffle-buffer 5
lay five --shuffle-buffer 1
lay five --shuffle-buffer 0 --seed 4
where='image/class/label == 3'
tfr cat -q "$DATA/kinds.tfrecord" --where "$where" | tfr cat -q - --shuffle-buffer 3 --seed 1 > want
tfr cat -q "$DATA/kinds.tfrecord" --where "$where" --shuffle-buffer 3 --seed 1 | cmp - want
# A damaged record in the middle: nothing, or the rest.
python3 -c 'data = bytearray(open("five", "rb").read()); data[18 * 2 + 12] ^= 1; open("bad", "wb").write(data)'
lay bad --shuffle-buffer 2 2>&1; lay bad --shuffle-buffer 2 --on-error skip
