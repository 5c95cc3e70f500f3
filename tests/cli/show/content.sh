# What a record is taken for: by its fields, or as it is told; bytes that might be another's never are.
make() {
  python3 - << 'END'
import struct
import records
f = records.field
wall = b'\x09' + struct.pack('<d', 1.5e9)
shape = lambda *dims: f(2, b''.join(f(2, b'\x08' + records.varint(d)) for d in dims))
rows = {
    'no field but the wall time': wall,
    'an Event and a field of none': wall + f(3, b'v') + b'\x78\x05',
    'an Event without a wall time': f(5, f(1, f(1, b'a') + b'\x15' + struct.pack('<f', 2))),
    'an Event with features': wall + f(1, records.entry(b'a', records.int64_list([1]))),
    'feature lists alone': f(2, records.entry(b'a', f(1, records.int64_list([1])))),
    'a type and no shape': b'\x08\x09',
    'a shape of 10^18 and no values': b'\x08\x09' + shape(10**9, 10**9),
    'a shape past 2^64': b'\x08\x09' + shape(2**40, 2**40),
    'content too short for the shape': b'\x08\x01' + shape(2) + f(4, bytes(7)),
    'more values than the shape has': b'\x08\x09' + shape(1) + f(10, b'\x01\x02'),
    'a negative size': b'\x08\x09' + f(2, f(2, b'\x08' + b'\xff' * 9 + b'\x01')),
    'no type 99': b'\x08\x63\x12\x00',
    'texts longer than the content': b'\x08\x07' + shape(2) + f(4, b'\x05\x01abc'),
    'an Event cut short': (wall + f(3, b'brain.Event:2'))[:-1],
    'a summary that does not parse': wall + f(5, f(1, b'\x0a\x05a')),
    'a tag that is not UTF-8': wall + f(5, f(1, f(1, b'\xff\x1b[31m') + b'\x15' + struct.pack('<f', 2))),
    'unknown fields alone': b'\x78\x05',
    'text': b'a line\n',
    'a line feed first': b'\nanother',
    'nothing': b'',
}
open('rows', 'wb').write(b''.join(records.frame(p) for p in rows.values()))
open('names', 'w').write(''.join(n + '\n' for n in rows))
END
}
make
n=0
while read -r name; do
  echo "$name:"
  tfr show -q --skip $n -n 1 rows | tail -n +2
  for as in auto example tensor raw; do
    printf '    %-8s' $as; tfr show -q --json --as $as --skip $n -n 1 rows 2>&1 | sed "s/^tfr show: //; s/ in 'rows'.*//" | paste -sd '|'
  done
  n=$((n + 1))
done < names
tfr show -q --as tensor --skip 17 -n 1 rows; echo "status $?"
for as in nothing event; do tfr show --as $as rows 2>&1; echo "status $?"; done
