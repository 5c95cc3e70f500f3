# Names out of records: none leaves the target, and two of one name are numbered in the order of the records.
cat > make.py <<'P'
import os, struct, sys
import records
png = open(os.environ['DATA'] + '/images/png/rgb.png', 'rb').read()
def varint(n):
    out = b''
    while n > 127:
        out += bytes([n & 127 | 128]); n >>= 7
    return out + bytes([n])
def field(n, data):
    return varint(n << 3 | 2) + varint(len(data)) + data
def example(**features):
    body = b''
    for key, value in features.items():
        key = key.replace('__', '/').encode()
        kind = field(3, field(1, varint(value))) if isinstance(value, int) else field(1, field(1, value))
        body += field(1, field(1, key) + field(2, kind))
    return field(1, body)
names = [b'a.png', b'a.png', b'a.png', b'a-2.png', b'../../up.png', b'/etc/passwd', b'a/../b.png', b'x\0y\nz.png', b'', b'.', b'..', b'dir', b'dir/1.png', b'dir/2.png',
         b'dir', b'//b///c.png/', b'.hidden', b'\xff\xfe.png', b'n' * 300 + b'.png', b'n' * 300 + b'.png', b'/'.join([b'd'] * 50), b'a.tar.gz', b'a.tar.gz']
payloads = [example(image__encoded=png, image__filename=name) for name in names]
payloads += [example(image__encoded=png), example(image__encoded=b'not an image'), example(image__encoded=png, image__filename=b'1.png', image__class__label=7),
             example(image__encoded=png, image__filename=b'1.png', image__class__text=b'../cat'), example(image__encoded=png, image__filename=b'cat/1.png', image__class__text=b'cat'),
             example(image__encoded=png, image__filename=b'train/cat/3.png', image__class__text=b'cat'), example(image__encoded=png, image__filename=b'concat/cat/cat', image__class__text=b'cat'),
             example(image__encoded=png, image__filename=b'1.png', image__class__text=b'/'.join([b'k' * 150] * 15))]
open('t.tfrecord', 'wb').write(b''.join(map(records.frame, payloads)))
open('none.tfrecord', 'wb').write(b''.join(map(records.frame, [payloads[0], example(image__filename=b'x.png'), b'\x01', example(image__encoded=5)])))
P
python3 make.py
mkdir -p jail/in && cp t.tfrecord none.tfrecord jail/in && cd jail/in
tfr export -q t.tfrecord -o out; echo "status $?"
( cd out && find . -type f | LC_ALL=C sort | cut -c1-120 | cat -v )
find .. -type f -not -path '*/out/*' | LC_ALL=C sort
for j in 1 7; do tfr export -q -j $j t.tfrecord -o out$j; diff -r out out$j; done
# Records without an image.
tfr export -q none.tfrecord -o x 2>&1; echo "status $?"
tfr export none.tfrecord --on-error skip -o x 2>&1 | sed 's/in [0-9.]* s/in N s/'; find x -type f
tfr export -q none.tfrecord --on-error quarantine=bad -o y; tfr count bad
# As keys of samples.
tfr export -q t.tfrecord -o t.tar; tar tf t.tar | cut -c1-120
ls -A | grep tmp
exit 0
