"""Files as the tables of other readers' ways have them: every way to put a TFRecord file together, and to damage one.

Each function gives {name: Layout}; what a layout holds is known by construction.
"""
import collections
import gzip
import random
import shutil
import struct
import subprocess
import zlib

import records

BLOCK = 256 << 10   # what TensorFlow reads of a compressed file at a time

# data: the file; compression: what TensorFlow has to be told; starts: where each record that is in it begins, in the
# uncompressed stream, and where the last one ends; whole: whether a reader should take the file for whole.
Layout = collections.namedtuple('Layout', 'data compression starts whole')


def framed(payloads):
    """The stream, and where its records begin and the last one ends."""
    pieces = [records.frame(p) for p in payloads]
    starts = [0]
    for piece in pieces:
        starts.append(starts[-1] + len(piece))
    return b''.join(pieces), starts


def deflated(data, level=6, flush=None, every=0):
    deflate = zlib.compressobj(level, zlib.DEFLATED, -15, 9)
    out = b''
    for at in range(0, len(data), every) if every else ():
        out += deflate.compress(data[at:at + every]) + deflate.flush(flush)
    return out + (b'' if every else deflate.compress(data)) + deflate.flush()


def trailer(data):
    return struct.pack('<II', zlib.crc32(data), len(data) & 0xffffffff)


def member(data, level=6, end=None, name=None, **flushes):
    """A GZIP member; `end`: padded by an extra field to be so long."""
    body = deflated(data, level, **flushes) + trailer(data)
    head = b'\x1f\x8b\x08%c\0\0\0\0\0\x03' % (bool(end) * 4 + bool(name) * 8)
    if end:
        pad = end - len(head) - 2 - len(body)
        head += struct.pack('<H', pad) + bytes(pad)
    return head + (name + b'\0' if name else b'') + body


def bgzf(data, block=0xff00):
    """As bgzip writes it: members of up to 64 KiB with their size in an extra field, and an empty one at the end."""
    out = b''
    for at in [*range(0, len(data), block), None]:
        piece = b'' if at is None else data[at:at + block]
        body = deflated(piece)
        out += b'\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0' + struct.pack('<H', len(body) + 25) + body + trailer(piece)
    return out


def piped(program, data):
    return subprocess.run(program, input=data, stdout=subprocess.PIPE, check=True).stdout


def gzip_members():
    """Whole GZIP files, below and above the size that TensorFlow reads at a time."""
    small, starts = framed([b'alpha', b'', b'beta' * 9, b'gamma', b'delta' * 30])
    noise = random.Random(1)
    large, large_starts = framed([noise.randbytes(n) for n in (100000, 149000, 9, 300000, 0, 80000)])
    a, b, c = small[:starts[1]], small[starts[1]:starts[3]], small[starts[3]:]
    at = large_starts[2]   # about 250,000 bytes: stored, and padded a little, they fill a block

    def both(first, second):
        """The records of two streams one behind the other."""
        return first + [s + first[-1] for s in second[1:]]

    rows = {
        'one member': (member(small), starts),
        'members at records': (member(a) + member(b) + member(c), starts),
        'members within a record': (member(small[:20]) + member(small[20:70]) + member(small[70:]), starts),
        'a member a record': (b''.join(member(small[s:e]) for s, e in zip(starts, starts[1:])), starts),
        'empty first': (member(b'') + member(small), starts),
        'empty in the middle': (member(a) + member(b'') + member(b + c), starts),
        'empty within a record': (member(small[:30]) + member(b'') + member(small[30:]), starts),
        'two empty': (member(a) + member(b'') + member(b'') + member(b + c), starts),
        'empty last': (member(small) + member(b''), starts),
        'only empty': (member(b''), [0]),
        'three empty': (member(b'') * 3, [0]),
        'Python gzip': (gzip.compress(small), starts),
        'BGZF': (bgzf(small), starts),
        'BGZF, large': (bgzf(large), large_starts),
        'members of 256 KiB': (b''.join(member(large[k:k + BLOCK]) for k in range(0, len(large), BLOCK)), large_starts),
        'sync flushes': (member(small, flush=zlib.Z_SYNC_FLUSH, every=11), starts),
        'full flushes': (member(small, flush=zlib.Z_FULL_FLUSH, every=11), starts),
        'partial flushes': (member(small, flush=zlib.Z_PARTIAL_FLUSH, every=11), starts),
        'full flushes, large': (member(large, flush=zlib.Z_FULL_FLUSH, every=70000), large_starts),
        'a name': (member(small, name=b'in.tfrecord'), starts),
        'empty early, large': (member(small) + member(b'') + member(large, 0), both(starts, large_starts)),
        'empty first, large': (member(b'') + member(large), large_starts),
        'empty late, large': (member(large[:at], 0, BLOCK + 5) + member(b'') + member(small),
                              both(large_starts[:3], starts)),
        'empty within a record, large': (member(large[:at + 5], 0, BLOCK + 5) + member(b'') + member(large[at + 5:at + 25]),
                                         large_starts[:4]),
    }
    for back in range(-2, 11):   # the trailer across the first multiple of 256 KiB, and beside it
        rows['trailer ends %d behind a block, the last' % back] = (
            member(large[:at], 0, BLOCK + back) + member(small), both(large_starts[:3], starts))
    for back in 1, 4, 7:
        rows['trailer %d across, within a record' % back] = (
            member(large[:at + 7], 0, BLOCK + back) + member(large[at + 7:at + 25]), large_starts[:4])
        rows['trailer %d across, two blocks' % back] = (
            member(large[:at], 0, BLOCK + back) + member(large[at:], 0), large_starts)
        first = member(small)
        rows['trailer %d across, the second block' % back] = (
            first + member(large[:480000], 0, 2 * BLOCK + back - len(first)) + member(large[480000:]),
            both(starts, large_starts))
    for program, name in (['pigz', '-b', '128', '-p', '4'], 'pigz'), (['pigz', '-i', '-b', '128'], 'pigz -i'), (['bgzip', '-c'], 'bgzip'):
        if shutil.which(program[0]):
            rows[name] = (piped(program, large), large_starts)
            rows[name + ', small'] = (piped(program, small), starts)
    return {name: Layout(data, 'gzip', starts, True) for name, (data, starts) in rows.items()}


def random_members(seed):
    """A file of members of any size, some empty, and of any length in the file, as near to blocks as chance has it."""
    rng = random.Random(seed)
    stream, starts = framed([rng.randbytes(rng.choice((0, 3, 500, 20000, 90000))) for _ in range(rng.randrange(2, 40))])
    cuts = sorted(rng.randrange(len(stream) + 1) for _ in range(rng.randrange(1, 30)))
    data = b''
    for start, end in zip([0, *cuts], [*cuts, len(stream)]):
        piece, level = stream[start:end], rng.choice((0, 0, 1))
        plain = len(data) + len(member(piece, level))
        near = -plain % BLOCK   # to the next multiple
        pad = near + rng.randrange(9) if 2 <= near < 60000 and rng.randrange(2) else 0
        data += member(piece, level, plain - len(data) + pad if pad > 2 else None)
        if not rng.randrange(12):
            data += member(b'')
    return Layout(data, 'gzip', starts, True)


def zlib_streams():
    stream, starts = framed([b'alpha', b'beta' * 9, b'gamma'])
    noise = random.Random(2)
    large, large_starts = framed([noise.randbytes(n) for n in (300000, 9, 300000)])
    rows = {
        'ZLIB': (zlib.compress(stream), starts),
        'ZLIB, large': (zlib.compress(large), large_starts),
        'two ZLIB streams': (zlib.compress(stream[:starts[2]]) + zlib.compress(stream[starts[2]:]), starts),
        'two ZLIB streams, within a record': (zlib.compress(stream[:30]) + zlib.compress(stream[30:]), starts),
        'two ZLIB streams, large': (zlib.compress(large[:large_starts[2]]) + zlib.compress(large[large_starts[2]:]),
                                    large_starts),
        'empty ZLIB': (zlib.compress(b''), [0]),
        'empty ZLIB first': (zlib.compress(b'') + zlib.compress(stream), starts),
        'empty ZLIB last': (zlib.compress(stream) + zlib.compress(b''), starts),
    }
    return {name: Layout(data, 'zlib', starts, True) for name, (data, starts) in rows.items()}


def damaged_streams():
    """Compressed files with something wrong at their end, all records in them; small ones, and above 256 KiB inflated."""
    noise = random.Random(3)
    rows = {}
    for size, payloads in ('', [b'alpha', b'beta' * 9, b'gamma']), (', large', [noise.randbytes(90000) for _ in range(6)]):
        stream, starts = framed(payloads)
        g, z = member(stream), zlib.compress(stream)
        rows |= {name + size: Layout(data, kind, starts, False) for name, kind, data in (
            ('GZIP trailer cut by 8', 'gzip', g[:-8]),
            ('GZIP trailer cut by 4', 'gzip', g[:-4]),
            ('GZIP trailer cut by 1', 'gzip', g[:-1]),
            ('wrong CRC-32', 'gzip', g[:-8] + b'\0\0\0\0' + g[-4:]),
            ('wrong size', 'gzip', g[:-4] + b'\0\0\0\1'),
            ('garbage behind GZIP', 'gzip', g + b'garbage'),
            ('long garbage behind GZIP', 'gzip', g + bytes(range(1, 200)) * 3),
            ('zeros behind GZIP', 'gzip', g + bytes(512)),
            ('a cut header behind GZIP', 'gzip', g + g[:7]),
            ('Adler-32 cut by 4', 'zlib', z[:-4]),
            ('Adler-32 cut by 1', 'zlib', z[:-1]),
            ('wrong Adler-32', 'zlib', z[:-4] + b'\0\0\0\0'),
            ('garbage behind ZLIB', 'zlib', z + b'garbage'),
            ('zeros behind ZLIB', 'zlib', z + bytes(512)),
        )}
        # The stream ends within a record, or right behind one with its own end missing.
        for kind, data in ('gzip', member(stream, 0)), ('zlib', zlib.compress(stream, 0)):
            head = 15 if kind == 'gzip' else 7
            rows['%s cut in a record%s' % (kind.upper(), size)] = Layout(data[:head + starts[1] + 20], kind, starts[:2], False)
            if not size:
                rows['%s cut behind a record' % kind.upper()] = Layout(data[:head + starts[2]], kind, starts[:3], False)
                rows['%s cut in a header' % kind.upper()] = Layout(data[:head + starts[2] + 5], kind, starts[:3], False)
    return rows


def plain_damage():
    """Section by section what can be wrong with the framing: name -> (file, good records before it)."""
    stream, starts = framed([b'alpha', b'', b'gamma' * 5])
    n = len(starts) - 1

    def flipped(at):
        return stream[:at] + bytes([stream[at] ^ 255]) + stream[at + 1:]

    rows = {
        'whole': (stream, n), 'empty': (b'', 0),
        'length, first': (flipped(2), 0), 'length CRC, first': (flipped(9), 0),
        'length': (flipped(starts[1] + 2), 1), 'length CRC': (flipped(starts[1] + 9), 1),
        'data, first': (flipped(13), 0), 'data, last': (flipped(starts[2] + 15), 2), 'data CRC': (flipped(starts[2] - 1), 1),
        'footer cut': (stream[:-2], n - 1), 'data cut': (stream[:-10], n - 1), 'only a header': (stream + records.header(5), n),
        'no data': (stream + records.header(0), n),
    }
    for k in 1, 4, 7, 8, 11:
        rows['%d zeros behind' % k] = (stream + bytes(k), n)
        rows['%d bytes of a header behind' % k] = (stream + records.header(3)[:k], n)
    for k in 12, 16, 100:
        rows['%d zeros behind' % k] = (stream + bytes(k), n)
        rows['%d bytes of garbage behind' % k] = (stream + b'garbage!' * 13, n)
    for k in 20, 32:
        rows['a length of 2^%d' % k] = (stream + records.header(1 << k) + b'spam', n)
    return rows


# A length whose CRC fits and that no file has: TensorFlow fails, or crashes.
FORGED = [1 << 44, 1 << 62, (1 << 63) - 5, (1 << 63) - 4, 1 << 63, (1 << 64) - 16, (1 << 64) - 5, (1 << 64) - 1]
