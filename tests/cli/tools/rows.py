"""tfr show --json --bytes base64 on standard input against a golden file of rows: rows.py GOLDEN.jsonl"""
import base64
import json
import struct
import sys


def value(v):
    if isinstance(v, dict):
        return base64.b64decode(v['base64'])
    if isinstance(v, float):
        return struct.pack('<f', v)
    if v in ('Infinity', '-Infinity', 'NaN'):
        return struct.pack('<f', float(v))
    return v.encode() if isinstance(v, str) else v


def row(line):
    return {name: [value(v) for v in values] for name, values in json.loads(line).items()}


wanted, got = ([row(line) for line in lines] for lines in (open(sys.argv[1]), sys.stdin))
bad = 0
for k, (a, b) in enumerate(zip(wanted, got)):
    for name in sorted(set(a) | set(b)):
        x, y = a.get(name), b.get(name)
        # A float that is whole is printed without a point.
        if x and y and any(isinstance(v, bytes) and len(v) == 4 for v in x) and len(x) == len(y):
            x, y = ([struct.pack('<f', v) if isinstance(v, int) else v for v in values] for values in (x, y))
        if x != y:
            print('row %d, %s: %r, not %r' % (k, name, y, x))
            bad += 1
print('same' if not bad and len(wanted) == len(got) else 'different: %d rows, not %d' % (len(got), len(wanted)))
