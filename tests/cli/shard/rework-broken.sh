# Broken images of every kind on their way to be resized: skipped, each with its reason, the others written.
mkdir in && cp "$DATA"/images/broken/* in && cp "$DATA/images/png/rgb.png" in/zz.png
python3 - <<'P'
data = open('in/zz.png', 'rb').read()
for n in range(0, len(data), 97):
    open('in/cut-%05d.png' % n, 'wb').write(data[:n])
    open('in/flip-%05d.png' % n, 'wb').write(data[:n] + bytes([data[n] ^ 0x55]) + data[n + 1:])
P
cp "$DATA/media/cmyk.jpg" in/yy.jpg
tfr shard --max-skipped 100 --no-shuffle in -o a.tfrecord --resize 8 --quality 50 2> err; echo "status $?"
sed 's/in [0-9.]* s/in N s/' err | grep -v flip- | grep -v 'read [0-9]'
tfr show -q a.tfrecord | grep -E 'filename|width' | grep -v flip- | tail -4
echo "too large an image is none"
python3 - <<'P'
import struct, zlib
def chunk(t, d): return struct.pack('>I', len(d)) + t + d + struct.pack('>I', zlib.crc32(t + d))
def png(w, h, rows): return b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', w, h, 8, 0, 0, 0, 0)) + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b'')
import os
os.mkdir('wide')
open('wide/bomb.png', 'wb').write(png(1 << 20, 1 << 20, b''))
open('wide/flat.png', 'wb').write(png(70000, 1, bytes(70001)))
P
tfr shard --no-shuffle wide -o b.tfrecord --resize 60000 --enlarge; echo "status $?"
tfr shard --no-shuffle wide -o b.tfrecord --reencode jpeg; echo "status $?"
tfr shard --no-shuffle -q wide -o b.tfrecord --resize 300x1; echo "status $?"; tfr show -q b.tfrecord | grep -o 'png 300x1'
