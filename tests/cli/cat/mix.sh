# --mix: the order of tf.data's sample_from_datasets, against a model in Python.
python3 - <<'P'
import itertools, random, subprocess
import records
from interleaved import interleaved
from mixed import chosen, mixed
from shuffled import shuffled
# As TensorFlow 2.21 gives them.
assert list(itertools.islice(chosen([0.7, 0.3], 7), 12)) == [0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 1, 1]
assert list(itertools.islice(chosen([1, 2, 3.5], 0), 14)) == [2, 2, 2, 1, 1, 2, 2, 2, 2, 1, 2, 0, 0, 2]
rng = random.Random(8)
for n in range(60):
    sets, spec, weights = [], [], []
    for s in range(rng.randrange(1, 6)):
        files = [[b'%d/%d/%d ' % (s, f, r) for r in range(rng.choice((0, 1, 3, 9, 40)))] for f in range(rng.randrange(1, 4))]
        for f, payloads in enumerate(files):
            open('s%d-%05d-of-%05d' % (s, f, len(files)), 'wb').write(b''.join(map(records.frame, payloads)))
        weights.append(rng.choice((0, 0.1, 0.5, 1, 2.5, 30)) if s else 0.7)
        spec.append('s%d@%d=%s' % (s, len(files), weights[-1]))
        sets.append(files)
    seed, end = rng.choice((0, 1, 2**31 - 1, 2**63)), rng.choice(('drop', 'stop'))
    spec += ['until=first'] * (end == 'stop')
    cycle, block, buffer = rng.randrange(1, 4), rng.randrange(1, 4), rng.choice((0, 0, 5))
    limit = rng.choice((1, 10, 300))
    done = subprocess.run(['tfr', 'cat', '-q', '--allow-empty', '--mix', ','.join(spec), '--seed', str(seed),
                           '--limit', str(limit), '--interleave', '%d,%d' % (cycle, block), '--shuffle-buffer', str(buffer)],
                          capture_output=True, check=True)
    want = mixed([interleaved(files, cycle, block) for files in sets], weights, seed, end, limit + buffer)
    want = (shuffled(want, buffer, seed) if buffer else want)[:limit]
    if done.stdout != b''.join(map(records.frame, want)):
        print('another order', spec, end, seed, cycle, block, buffer, limit)
for s, n in ('a', 9), ('b', 4), ('c', 1):
    open(s, 'wb').write(b''.join(records.frame(b'%s%d ' % (s.encode(), r)) for r in range(n)))
P
lay() { tfr cat -q --raw "$@"; echo; }
lay --mix a=0.7,b=0.3
lay --mix a=7,b=3 --seed 1
lay --mix a=0.7,b=0.3,until=first
lay --mix until=first,a=0.7,b=0.3
lay --mix a=0,b=3
lay --mix a=1,b=1e-30,c=1e-30
tfr cat --mix a=0.7,b=0.3 2>&1 > /dev/null | sed 's/in [0-9.]* s/in N s/'
# What comes behind it sees the mix: numbers, thinning, bounds.
lay --mix a=0.7,b=0.3 --records 0-1,5
lay --mix a=0.7,b=0.3 --every 3 --skip 1 --limit 2
lay --mix a=0.7,b=0.3 --sample 0.5 > half; tfr cat -q --mix a=0.7,b=0.3 | lay --sample 0.5 - | cmp - half
where='image/class/label == 3'
tfr cat -q --mix "$DATA/kinds.tfrecord=1,$DATA/images.tfrecord=1" > both
tfr cat -q --where "$where" both > want
tfr cat -q --where "$where" --mix "$DATA/kinds.tfrecord=1,$DATA/images.tfrecord=1" | cmp - want
tfr cat -q --keep id both > want; tfr cat -q --keep id --mix "$DATA/kinds.tfrecord=1,$DATA/images.tfrecord=1" | cmp - want
# Outputs as ever; standard input is a set, which a loop repeats.
tfr cat -q --mix a=1,b=1 -o two@2.tfrecord.gz && tfr cat -q --mix 'two@2.tfrecord.gz=1' -o all
tfr cat -q two@2.tfrecord.gz | cmp - all
lay --mix -=1,b=1,until=first < a
while cat c 2> /dev/null; do :; done | lay --mix -=0.7,b=0.3 -n 12
# Names: the last '=' counts, and quotes hold a comma; a set may be named until.
cp a 'x=y'; cp b 'p,q'; cp c "it's"
lay --mix "x=y=2,'p,q'=1,\"it's\"=1"
cp b until; lay --mix until=1,a=1,until=first
# A set without records, and one without any weight, which need not be whole.
tfr cat --mix "a=1,$DATA/empty.tfrecord=1" -n 3 2>&1 > /dev/null | sed "s/in [0-9.]* s/in N s/; s,'/.*/,',"
tfr cat -q --allow-empty --mix "$DATA/empty.tfrecord=1" | wc -c
printf 'no record at all' > torn
lay --mix a=1,torn=0
# Damage: told with its file, or passed over.
python3 -c 'd = bytearray(open("a", "rb").read()); d[19 * 2 + 12] ^= 1; open("bad", "wb").write(d)'
lay --mix bad=1,b=1 2>&1
lay --mix bad=1,b=1 --on-error skip
tfr cat -q --mix bad=1,b=1 --on-error quarantine=aside > /dev/null && wc -c < aside
