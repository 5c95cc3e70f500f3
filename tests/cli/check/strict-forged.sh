# --strict on bytes of no shape: nothing but lines and a status, and the same whatever else is in the file.
python3 - <<'P'
import random
import records
r = random.Random(5)
base = records.example({'a': records.int64_list(range(40)), 'b': records.float_list([1.5] * 9), 'c': records.bytes_list([b'x' * 30, b'']),
                        'image/encoded': records.bytes_list([b'\xff\xd8\xff'])})
sequence = base + records.field(2, records.entry(b's', records.field(1, records.int64_list([1])) * 3))
with open('forged.tfrecord', 'wb') as f:
    for i in range(3000):
        b = bytearray(base if i % 2 else sequence)
        for _ in range(r.randint(1, 4)):
            at = r.randrange(len(b))
            verb = r.randrange(4)
            if verb == 0: b[at] ^= 1 << r.randrange(8)
            elif verb == 1: del b[at:at + r.randint(1, 9)]
            elif verb == 2: b[at:at] = b[r.randrange(len(b)):][:r.randint(1, 30)]
            else: b[at] = r.choice((0, 10, 18, 26, 127, 128, 255))
        f.write(records.frame(bytes(b)))
with open('many.tfrecord', 'wb') as f:
    f.write(records.frame(records.field(1, b''.join(records.entry(b'n%d' % (i % 5000), b'') for i in range(20000)))))
P
tfr check -q --strict forged.tfrecord > out; echo "status $?"
grep -vE '^forged\.tfrecord:[0-9]+:[0-9]+: [^:]*: .*(TensorFlow|protobuf).*$|^forged\.tfrecord:[0-9]+:[0-9]+: (several Examples|an unknown|a tag|an entry)' out | head -3
[ "$(wc -l < out)" -gt 100 ] && echo many
tfr check -q --strict many.tfrecord | sed 's/n[0-9]*:/N:/; s/.*0:0: //' | sort | uniq -c | sed 's/^ *//'
