# --strict: what protobuf, TensorFlow's own parser, DALI and PyPI's tfrecord read differently in an Example.
python3 - <<'P'
import struct
import records
from records import bytes_list, entry, example, field, float_list, int64_list, varint
def number(n, value):
    return varint(n << 3) + varint(value)
def write(name, *payloads):
    open(name, 'wb').write(b''.join(map(records.frame, payloads)))
def one(feature, name=b'a'):
    return field(1, entry(name, feature))
def ints(*chunks):
    return field(3, b''.join(chunks))
packed, single, unknown = field(1, b'\x01\x02'), number(1, 3), field(9, b'?')
group = varint(5 << 3 | 3) + varint(5 << 3 | 4)
f32 = struct.pack('<f', 1.5)
cases = {
    'good': example({'a': int64_list([1, -1]), 'b': float_list([1.5]), 'c': bytes_list([b'x', b'']), 'größe': int64_list([])}),
    'empty': b'',
    'no-features': field(1, b''),
    'unpacked': one(ints(single, single)),
    'value-first': field(1, field(1, field(2, int64_list([1])) + field(1, b'a'))),
    'two-chunks': one(ints(packed, packed)),
    'packed-then-single': one(ints(packed, single)),
    'single-then-packed': one(ints(single, packed)),
    'two-float-chunks': one(field(2, field(1, f32) + field(1, f32))),
    'packed-then-fixed32': one(field(2, field(1, f32) + b'\x0d' + f32)),
    'two-lists': one(int64_list([1]) + int64_list([2])),
    'two-bytes-lists': one(bytes_list([b'x']) + bytes_list([b'y'])),
    'mixed-kinds': one(int64_list([1]) + float_list([2])),
    'name-twice': field(1, entry(b'a', int64_list([1])) + entry(b'b', int64_list([2])) + entry(b'a', int64_list([3]))),
    'name-twice-unset': field(1, entry(b'a', int64_list([1])) + entry(b'a', b'')),
    'concatenated': example({'a': int64_list([1])}) + example({'b': int64_list([2])}),
    'concatenated-same': example({'a': int64_list([1])}) + example({'a': int64_list([2])}),
    'unset': one(b''),
    'no-value': field(1, field(1, field(1, b'a'))),
    'no-name': field(1, field(1, field(2, int64_list([1])))),
    'name-again': field(1, field(1, field(1, b'a') + field(1, b'b') + field(2, int64_list([1])))),
    'value-again': field(1, field(1, field(1, b'a') + field(2, int64_list([1])) + field(2, int64_list([2])))),
    'unknown-in-entry': field(1, field(1, field(1, b'a') + field(2, int64_list([1])) + unknown)),
    'unknown-in-example': example({'a': int64_list([1])}) + unknown,
    'group-in-example': example({'a': int64_list([1])}) + group,
    'unknown-in-features': field(1, entry(b'a', int64_list([1])) + unknown),
    'unknown-before-kind': one(unknown + int64_list([1])),
    'unknown-behind-kind': one(int64_list([1]) + unknown),
    'unknown-before-values': one(ints(unknown, packed)),
    'unknown-behind-values': one(ints(packed, unknown)),
    'wrong-type-in-list': one(ints(b'\x0d' + f32, packed)),
    'not-utf8': one(int64_list([1]), b'caf\xe9'),
    'not-utf8-long': one(int64_list([1]), b'\xff' * 300),
    'nul-and-newline': one(b'', b'a\0b\nc'),
    'long-tag': b'\x8a\0' + varint(len(entry(b'a', int64_list([1])))) + entry(b'a', int64_list([1])),
    'long-tag-in-entry': field(1, field(1, b'\x8a\0\x01a' + field(2, int64_list([1])))),
    'long-tag-in-list': one(ints(b'\x8a\0\x01\x07')),
    'several': one(unknown + ints(packed, packed, unknown) + float_list([1]), b'\xff') + unknown,
    'known-names': example({'image/height': float_list([3]), 'image/encoded': int64_list([1]), 'image/object/bbox/xmin': int64_list([0]),
                            'image/width': int64_list([3]), 'image/else': float_list([1]), 'image/class/text': b''}),
    'frames': field(1, entry(b'a', int64_list([1]))) + field(2, entry(b's', field(1, int64_list([1])) + field(1, int64_list([2])))),
    'frame-unset': field(2, entry(b's', field(1, b''))),
    'frame-two-chunks': field(2, entry(b's', field(1, ints(packed, packed)))),
    'frames-twice': field(2, entry(b's', field(1, int64_list([1]))) + entry(b's', field(1, int64_list([2])))),
    'frames-unknown': field(2, entry(b's', unknown + field(1, int64_list([1])))),
    # Records of other kinds are not looked into.
    'raw': b'just some bytes',
    'event': b'\x09' + struct.pack('<d', 1.0) + field(3, b'brain.Event:2'),
    'snapshot': bytes.fromhex('08091200') + field(4, bytes(8)),
}
for name, payload in cases.items():
    write(name, payload)
write('all', *cases.values())
open('names', 'w').write('\n'.join(cases))
P
while read -r f || [ -n "$f" ]; do
  tfr check -q --strict "$f"; echo "$f: status $?"
done < names
echo "without --strict:"
tfr check -q all; echo "status $?"
tfr check -q --strict all | wc -l
tfr check -q --strict -j 1 all > 1; tfr check -q --strict -j 4 all | cmp - 1
echo "--example wants Examples, and looks into no less:"
tfr check -q --strict --example raw unset two-chunks; echo "status $?"
tfr check -q --strict --json not-utf8 | python3 -c 'import json, sys; print(json.load(sys.stdin)["faults"])'
tfr check -q --strict --format junit all | python3 -c 'import sys, xml.etree.ElementTree as t; print(len(t.fromstring(sys.stdin.read())[0][0][0].text.splitlines()))'
