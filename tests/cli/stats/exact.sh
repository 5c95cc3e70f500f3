# Means and deviations are within 1e-12 of exact arithmetic, and the same bytes for every number of threads and any division.
exec 2>&1
cat > draw.py <<'P'
import json, math, random, struct, sys
from fractions import Fraction
from records import example, float_list, frame, int64_list
rng = random.Random(int(sys.argv[1]))
def single(v):
    return struct.unpack('<f', struct.pack('<f', v))[0]
def bits():
    while True:
        v = struct.unpack('<f', rng.randbytes(4))[0]
        if math.isfinite(v):
            return v
floats = {
    'any': bits,
    'constant': lambda: single(0.1),
    'huge': lambda: single(rng.choice((-1, 1)) * 3.4e38),
    'mixed': lambda: single(rng.gauss(0, 1) * 10.0 ** rng.randrange(-44, 38)),
    'neighbours': lambda: 1 - 2.0**-24 if rng.random() < .001 else 1.0,
    'normal': lambda: single(rng.gauss(0, 1)),
    'offset': lambda: single(1e9 + 64 * rng.randrange(2)),
    'rare': lambda: 16777215.0 if rng.random() < .001 else 16777214.0,
    'tiny': lambda: rng.randrange(-1000, 1000) * 2.0**-149,
}
ints = {
    'any64': lambda: rng.randrange(-2**63, 2**63),
    'bytes': lambda: rng.randrange(256),
    'highest': lambda: 2**63 - 1 - (rng.random() < .01),
    'lowest': lambda: -2**63 + rng.randrange(3),
    'magnitudes': lambda: rng.randrange(-2**63, 2**63) >> rng.randrange(64),
    'time': lambda: 1_700_000_000_000_000_000 + rng.randrange(1000),
}
values = {name: [] for name in floats | ints}
for file in 'abc':
    with open(file, 'wb') as f:
        for _ in range(rng.randrange(1, 900)):
            row = {n: [draw() for _ in range(rng.randrange(4))] for n, draw in (floats | ints).items()}
            if file == 'a': # what cancels leaves nothing
                row['cancel'] = [3e38, single(1e-8), -3e38, 2.0**64, -2.0**64]
                row['cancel'] = [single(v) for v in row['cancel']]
            for n, v in row.items():
                values.setdefault(n, []).extend(v)
            f.write(frame(example({n: int64_list(v) if n in ints else float_list(v) for n, v in row.items()})))
exact = {}
for name, v in values.items():
    v = [Fraction(x) for x in v] or [Fraction(0)]
    mean = sum(v) / len(v)
    spread = sum((x - mean)**2 for x in v) / len(v)
    # The root of a fraction, by integers: floats might not hold it.
    root = Fraction(math.isqrt(int(spread * 4**700)), 2**700)
    exact[name] = (str(mean), str(root))
json.dump(exact, open('exact.json', 'w'))
P
for seed in 1 2 3; do
  python3 draw.py $seed
  for j in 1 2 8; do tfr stats -j $j --json a b c > $j.json; done; cmp 1.json 2.json; cmp 1.json 8.json
  tfr cat -qf b a c -o other; tfr stats --json other > other.json
  for f in a b c; do tfr stats --json $f > $f.json; done; tfr stats --merge --json b.json a.json c.json | cmp - 1.json
  python3 - <<'P'
import json
from fractions import Fraction
exact = json.load(open('exact.json'))
for run in ('1.json', 'other.json'):
    said = {f['name']: f['numbers'] for f in json.load(open(run))['features']}
    for name, (mean, deviation) in exact.items():
        for key, true in (('mean', Fraction(mean)), ('deviation', Fraction(deviation))):
            off = abs(Fraction(said[name].get(key, 0)) - true)
            if off > abs(true) / 10**12:
                print(name, key, said[name][key], 'is', float(true))
print(len(exact), 'features')
P
done
