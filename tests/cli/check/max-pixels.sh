# Images that are larger than the limit are faults and are not decoded.
python3 - <<'P'
import struct, zlib
import records
def png(width, height):
    def chunk(kind, data):
        return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
    z = zlib.compressobj(0)
    row = bytes(1 + (width + 7) // 8)
    data = b''.join(z.compress(row) for _ in range(min(height, 101 if width < 1000 else 1))) + z.flush()
    return b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 1, 0, 0, 0, 0)) + chunk(b'IDAT', data) + chunk(b'IEND', b'')
def write(name, *sizes):
    with open(name, 'wb') as f:
        for size in sizes:
            f.write(records.frame(records.example({'image/encoded': records.bytes_list([png(*size)])})))
write('small.tfrecord', (100, 100), (101, 100), (50, 50))
write('giant.tfrecord', (65500, 65500), (2000000, 251), (2000000, 250))
P
check() { tfr check "$@" 2>err; echo "status $?"; sed 's/ in .* s, .*/ .../; s/ ([^()]*)$//' err; }
check --decode small.tfrecord
check --decode giant.tfrecord
check --decode --max-pixels 5 small.tfrecord
