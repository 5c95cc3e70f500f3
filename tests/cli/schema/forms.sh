# What a table, JSON and code say of all kinds, lengths and contents; and of SequenceExamples, empty files and raw ones.
exec 2>&1
cat > make.py <<'P'
from records import bytes_list, entry, example, field, float_list, frame, int64_list
import struct
def png(w, h):
    import zlib
    def chunk(kind, data):
        return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
    return b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', w, h, 8, 0, 0, 0, 0)) + chunk(b'IDAT', zlib.compress(b'\0' * (w + 1) * h)) + chunk(b'IEND', b'')
tensor = field(2, field(2, b'\x08\x02')) # TensorProto: a shape of 2, without a type: no tensor
whole = b'\x08\x03' + field(2, field(2, b'\x08\x02')) + field(4, struct.pack('<ii', 1, 200))
a = {'image': bytes_list([png(3, 2)]), 'label': int64_list([3]), 'box': float_list([.5] * 4), 'words': bytes_list([b'a', b'caf\xc3\xa9\n']),
     'tensor': bytes_list([whole]), 'message': bytes_list([tensor + b'\x20\x01']), 'blob': bytes_list([b'\xff\x00\x01']), 'empty': bytes_list([b'']),
     'ids': int64_list([1, 2]), 'none': b'', 'mixed': bytes_list([b'text', b'\xff\xfe']), 'controls': bytes_list([b'\x07bell'])}
b = {**a, 'image': bytes_list([png(30, 20)]), 'ids': int64_list([]), 'words': bytes_list([])}
del b['box']
open('a', 'wb').write(frame(example(a)) + frame(example(b)))
open('broken', 'wb').write(frame(example({'image': bytes_list([png(3, 2)[:-8]])})))
open('sequence', 'wb').write(frame(field(1, entry(b'label', int64_list([1]))) + field(2, entry(b'frames', field(1, int64_list([1]))))))
open('names', 'wb').write(frame(example({'a "b" \'c\' \\d\n': int64_list([1]), 'schl\u00fcssel': int64_list([1])})))
open('latin', 'wb').write(frame(field(1, entry(b'caf\xe9', int64_list([1])))))
open('raw', 'wb').write(frame(b'just bytes'))
open('nothing', 'wb')
P
python3 make.py
tfr schema a
for form in json python dali torch pbtxt; do echo "$form:"; tfr schema --emit $form a; done
echo "json:"; tfr schema --json a | cmp - <(tfr schema --emit json a) && echo same
echo "broken image:"; tfr schema broken
echo "sequence:"; tfr schema sequence
echo "names:"; tfr schema names; for form in json python pbtxt; do tfr schema --emit $form names | grep -i 'a \\*"b\|schl'; done
echo "latin:"; tfr schema latin; tfr schema --json latin | grep caf; for form in python dali pbtxt; do tfr schema --emit $form latin; echo "status $?"; done
echo "raw:"; tfr schema raw; echo "status $?"
echo "nothing:"; tfr schema nothing; tfr schema --emit python nothing; tfr schema --emit pbtxt nothing
echo "usage:"; tfr schema --json --emit python a; echo "status $?"; tfr schema --emit yaml a; echo "status $?"; tfr schema nosuch; echo "status $?"
echo "compressed:"; tfr cat -q -z gzip -o a.gz a; tfr cat -q -z zlib -o a.z a
for file in a.gz a.z; do for form in python dali torch; do echo "$form $file"; tfr schema --emit $form $file | grep COMPRESSION; done; done
tfr schema --emit torch sequence; echo "status $?"
# What one piece of code cannot read is refused: files of several compressions, and nothing that DALI can read.
mkdir mixed; python3 - <<'P'
import gzip, records
row = records.frame(records.example({'x': records.int64_list([1])}))
open('mixed/a.tfrecord', 'wb').write(row)
open('mixed/b.tfrecord', 'wb').write(gzip.compress(row, mtime=0))
open('mixed/empty.tfrecord', 'wb')
open('words', 'wb').write(records.frame(records.example({'x': records.bytes_list([b'a', b'b'])})))
P
for form in python dali torch; do tfr schema -q --emit $form mixed > out 2> err; echo "$form $?: $(cat err)"; done
tfr schema -q --emit python mixed/b* mixed/empty* | grep ^COMPRESSION
tfr schema -q --emit dali words > out 2> err; echo "nothing $?: $(cat out err)"
