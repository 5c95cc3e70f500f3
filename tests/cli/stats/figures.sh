# Counts, ranges, means, quantiles, different and most frequent values, of all kinds; images; what is odd.
exec 2>&1
cat > make.py <<'P'
from records import bytes_list, entry, example, field, float_list, frame, int64_list, varint
import struct, zlib
def png(w, h):
    def chunk(kind, data):
        return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
    return b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', w, h, 8, 0, 0, 0, 0)) + chunk(b'IDAT', zlib.compress(b'\0' * (w + 1) * h)) + chunk(b'IEND', b'')
inf = float('inf')
rows = []
for k in range(100):
    row = {'label': int64_list([k % 3]), 'wide': int64_list([-2**63, 2**63 - 1][k % 2:] if k % 10 else []),
           'score': float_list([k / 8, -k / 8]), 'text': bytes_list([b'caf\xc3\xa9\n' if k % 4 else b'\xff%d' % k]), 'id': bytes_list([b'%03d' % k]),
           'image': bytes_list([png(3 + k % 5, 2)]), 'unset': b''}
    if k == 7:
        row['odd'] = float_list([float('nan'), inf, inf, -inf, -0.0, 1e-45])
        row['long'] = bytes_list([b'x' * 300])
    rows.append(row)
open('a', 'wb').write(b''.join(frame(example(r)) for r in rows))
open('none', 'wb')
open('sequence', 'wb').write(frame(field(1, entry(b'label', int64_list([1]))) + field(2, entry(b'frames', field(1, int64_list([1]))))))
open('two', 'wb').write(frame(example({'x': int64_list([1])})) + frame(example({'x': float_list([1])})))
def unpacked(*values):
    return field(3, b''.join(b'\x08' + varint(v) for v in values))
def unpacked_floats(*values):
    return field(2, b''.join(b'\x0d' + struct.pack('<f', v) for v in values))
numbers, floats = [1, -1, 300, 0], [.5, 1.5]
def again(record):
    return field(1, entry(b'n', int64_list([9])) + entry(b'f', float_list([9]))) + record
open('packed', 'wb').write(frame(example({'n': int64_list(numbers), 'f': float_list(floats), 'none': int64_list([])})))
open('unpacked', 'wb').write(frame(field(1, entry(b'f', unpacked_floats(*floats)) + entry(b'n', unpacked(*numbers)) + entry(b'none', field(3, b'')))))
open('mixed', 'wb').write(frame(again(field(1, entry(b'f', float_list(floats[:1]) + unpacked_floats(floats[1])) +
    entry(b'n', int64_list(numbers[:2]) + unpacked(*numbers[2:])) + entry(b'none', field(3, field(1, b'')))))))
open('raw', 'wb').write(frame(b'just bytes'))
P
python3 make.py
tfr stats a
echo "json:"; tfr stats --json a | sed 's/"state": ".*"/"state": …/'
echo "none:"; tfr stats none; tfr stats --json none | head -n 8
echo "sequence:"; tfr stats sequence | head -n 4
echo "two:"; tfr stats two; echo "status $?"
echo "raw:"; tfr stats raw; echo "status $?"; tfr stats --on-error skip raw; echo "status $?"
echo "where:"; tfr stats --where 'label == 1' a | head -n 2
echo "encodings:"; tfr stats packed | tail -n +3; for f in unpacked mixed; do cmp <(tfr stats packed | tail -n +3) <(tfr stats $f | tail -n +3) && echo same; done
echo "NaN:"; python3 -c "
from records import example, float_list, frame
nan = float('nan')
open('nan', 'wb').write(b''.join(frame(example({'x': float_list([v])})) for v in (nan, -nan, nan, .5)))"
tfr stats nan | tail -n 1; tfr stats --html page.html nan; grep -o 'NaN\|4 records in 1 file<\|2 different values' page.html
