# --by counts every value, under its text, in bytewise order; what has none is told of on standard error.
python3 - <<'P'
import random
import struct
import records
from records import bytes_list, example, field, float_list, frame, int64_list
r = random.Random(3)
texts = [b'', b'cat', b'cat\tdog', b'line\nbreak', b'back\\slash', b'caf\xc3\xa9', b'caf\xe9', b'nul\0', b'\x1b[31m', b'zebra', b'Zebra']
floats = [0.1, 1.0, -0.0, 0.0, 1e-45, 3.4028234663852886e38, float('nan'), float('inf'), float('-inf'), 16777216.0, 1/3]
expect = {'i': {}, 'f': {}, 't': {}}
files = [open('d-0000%d-of-00003' % k, 'wb') for k in range(3)]
for n in range(600):
    features = {}
    if n % 7:
        values = [r.choice((-1, 0, 2, 10, 9, -2**63, 2**63 - 1)) for _ in range(r.randint(0, 3))]
        features['i'] = int64_list(values)
        for v in values: expect['i'][str(v)] = expect['i'].get(str(v), 0) + 1
    values = [r.choice(texts) for _ in range(r.randint(0, 2))]
    features['t'] = bytes_list(values)
    for v in values:
        shown = ''.join(c if c.isprintable() and c != '\\' else '\\\\' if c == '\\' else '\\x%02x' % ord(c) if ord(c) < 256 and not '\udc80' <= c <= '\udcff'
                        else '\\x%02x' % (ord(c) - 0xdc00) for c in v.decode(errors='surrogateescape'))
        expect['t'][shown] = expect['t'].get(shown, 0) + 1
    values = [r.choice(floats) for _ in range(r.randint(0, 2))]
    features['f'] = float_list(values)
    for v in values:
        v = struct.unpack('<f', struct.pack('<f', v))[0]
        expect['f'][struct.pack('<f', v).hex()] = expect['f'].get(struct.pack('<f', v).hex(), 0) + 1
    features['unset'] = b''
    files[n % 3].write(frame(example(features)))
for name in 'it':
    with open('want.' + name, 'w') as out:
        for v in sorted(expect[name], key=str.encode): out.write('%s\t%d\n' % (v, expect[name][v]))
with open('want.f', 'w') as out:
    for v in sorted(expect['f']): out.write('%s\t%d\n' % (v, expect['f'][v]))
P
for f in i t; do tfr count -q --by $f d@3 | cmp - want.$f && wc -l < want.$f; done
tfr count -q --by f d@3 > got.f; cut -f 1 got.f
python3 -c '
import struct
for line in open("got.f"):
    v, n = line.split("\t")
    print(struct.pack("<f", float(v)).hex() + "\t" + n, end="")' | sort | cmp - want.f
echo "sorted as sort does, the same for any number of jobs, alone or many:"
LC_ALL=C sort -c <(tfr count -q --by i d@3); LC_ALL=C sort -c <(tfr count -q --by t d@3)
for j in 1 2 7; do tfr count -q -j $j --by t d@3 | cmp - want.t; done
cat d-* > one; tfr count -q --by t one | cmp - want.t; tfr count -q --by t - < one | cmp - want.t
echo "absent:"
tfr count --by i d@3 2>&1 > /dev/null; tfr count --by unset d@3 2>&1; tfr count --by nosuch d@3 2>&1; tfr count -q --by nosuch d@3
echo "JSON:"
tfr count -q --json --by i d@3 | python3 -c '
import json, sys
j = json.load(sys.stdin); print(sorted(j), j["by"], j["records"], j["absent"])
open("from.json", "w").write("".join("%s\t%d\n" % (v["value"], v["count"]) for v in j["values"]))'; cmp from.json want.i
echo "kinds mixed, text that is a number:"
python3 -c '
from records import *; import sys
for f in int64_list([1]), bytes_list([b"1"]), float_list([1.0]), bytes_list([b"1.0"]): sys.stdout.buffer.write(frame(example({"a": f})))' > mixed
tfr count --by a mixed
echo "refused:"
for o in '--per-file' '--sum' '--manifest'; do tfr count --by a $o mixed 2> /dev/null; echo "status $?"; done
