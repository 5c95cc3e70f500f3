# --strict: how a compressed file is put together, where TensorFlow ends without an error, and empty files.
python3 - <<'P'
import random
import struct
import zlib
import records
BLOCK = 256 << 10   # what TensorFlow reads at a time
a, b, c = (records.frame(x) for x in (b'alpha', b'beta', b'gamma'))
def gzip(data, end=None, level=6):
    """A member; `end`: padded by an extra field to be so long."""
    deflate = zlib.compressobj(level, zlib.DEFLATED, -15, 9)
    body = deflate.compress(data) + deflate.flush() + struct.pack('<II', zlib.crc32(data), len(data) & 0xffffffff)
    head = b'\x1f\x8b\x08%c\0\0\0\0\0\x03' % (4 if end else 0)
    if end:
        pad = end - len(head) - 2 - len(body)
        head += struct.pack('<H', pad) + bytes(pad)
    return head + body
def write(name, *parts):
    open(name, 'wb').write(b''.join(parts))
big = records.frame(random.Random(1).randbytes(250000))
write('one', gzip(a + b + c))
write('members', gzip(a), gzip(b), gzip(c))
write('mid-record', gzip((a + b)[:20]), gzip((a + b)[20:]))
write('trailing-empty', gzip(a + b + c), gzip(b''))
write('empty-first', gzip(b''), gzip(a + b + c))
write('empty-middle', gzip(a + b), gzip(b''), gzip(c))
write('empty-twice', gzip(a), gzip(b''), gzip(b''), gzip(b))
write('empty-early', gzip(a), gzip(b''), gzip(big + big, level=0))
write('empty-late', gzip(big, BLOCK + 5, 0), gzip(b''), gzip(a))
for back in -1, 0, 1, 4, 7, 8:
    write('straddle%+d' % back, gzip(big, BLOCK + back, 0), gzip(a), gzip(b))
write('straddle-early', gzip(big, BLOCK + 4, 0), gzip(big + big, level=0))
write('straddle-last', gzip(big, BLOCK + 4, 0))
write('only-empty', gzip(b''))
write('empty')
write('zlib', zlib.compress(a + b))
write('zlib-two', zlib.compress(a + b), zlib.compress(c))
write('zlib-empty-first', zlib.compress(b''), zlib.compress(a))
write('zlib-empty-last', zlib.compress(a), zlib.compress(b''))
write('no-trailer', gzip(a)[:-8])
write('half-trailer', gzip(a)[:-4])
write('cut-in-record', gzip(a + big)[:5000])
write('no-adler', zlib.compress(a)[:-4])
write('gzip-garbage', gzip(a), b'garbage')
write('gzip-zeros', gzip(a), bytes(64))
write('zlib-garbage', zlib.compress(a), b'garbage')
write('plain', a, b)
P
for f in one members mid-record trailing-empty empty-first empty-middle empty-twice empty-early empty-late straddle* \
  only-empty empty zlib zlib-two zlib-empty-first zlib-empty-last no-trailer half-trailer no-adler cut-in-record gzip-garbage gzip-zeros zlib-garbage plain; do
  tfr check -q --strict "$f"; echo "$f: status $?"
done
echo "without --strict:"
tfr check -q members empty-middle zlib-two empty no-trailer gzip-garbage; echo "status $?"
tfr check -q --strict - < members; echo "status $?"
tfr check --strict --quick one; echo "status $?"
