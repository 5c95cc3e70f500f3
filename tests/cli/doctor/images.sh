# Images that are larger than a training wants them, and photographs as PNG.
exec 2>&1
fix() { python3 $TOOLS/fix.py "$@"; }
cat > make.py <<'P'
from records import bytes_list, example, frame, int64_list
import random, struct, sys, zlib
random.seed(1)
def png(w, h, noise):
    def chunk(kind, data):
        return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
    rows = b''.join(b'\0' + (random.randbytes(3 * w) if noise else b'\x20' * 3 * w) for _ in range(h))
    return b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', w, h, 8, 2, 0, 0, 0)) + chunk(b'IDAT', zlib.compress(rows, 1)) + chunk(b'IEND', b'')
def write(name, n, w, h, noise, **more):
    open(name, 'wb').write(b''.join(frame(example({'image/encoded': bytes_list([png(w, h, noise)]), 'image/format': bytes_list([b'png']),
        'image/height': int64_list([h]), 'image/width': int64_list([w]), 'image/class/label': int64_list([i % 3]), **more})) for i in range(n)))
write('large.tfrecord', 9, 1400, 1100, False); write('small.tfrecord', 9, 500, 1100, False)
write('more.tfrecord', 9, 1200, 1100, False, more=int64_list([1])); write('noise.tfrecord', 9, 200, 150, True); write('few.tfrecord', 7, 200, 150, True)
P
python3 make.py
echo "good:"; tfr doctor -q small.tfrecord few.tfrecord; echo "status $?"
echo "large-images:"; fix large-images large.tfrecord; tfr doctor -q more.tfrecord | tail -n 1
echo "png:"; fix png noise.tfrecord
