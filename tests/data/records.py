"""TFRecord framing and a little of protobuf's wire format in plain Python: an oracle that shares no line with libtfr.

As a module: crc32c, masked, frame, unframe, and the wire helpers; the command line is for shell scripts:
  records.py write PAYLOAD...     framed records to stdout ('\\x00' escapes are understood)
  records.py forge LENGTH         a header that claims LENGTH, its CRC right, and 4 bytes of payload
  records.py list FILE            OFFSET LENGTH CRCS (good or bad), a line a record, as far as the framing is whole
"""
import struct
import sys

TABLE = []
for _n in range(256):
    for _ in range(8):
        _n = _n >> 1 ^ (0x82f63b78 if _n & 1 else 0)
    TABLE.append(_n)


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 255]
    return crc ^ 0xffffffff


def masked(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xa282ead8) & 0xffffffff


def header(length):
    size = struct.pack('<Q', length)
    return size + struct.pack('<I', masked(size))


def frame(payload):
    return header(len(payload)) + payload + struct.pack('<I', masked(payload))


def unframe(data):
    """Yields (offset, payload, whether both CRCs hold)."""
    at = 0
    while at + 12 <= len(data):
        length, crc = struct.unpack_from('<QI', data, at)
        payload = data[at + 12:at + 12 + length]
        if at + 16 + length > len(data):
            return
        footer, = struct.unpack_from('<I', data, at + 12 + length)
        yield at, payload, crc == masked(data[at:at + 8]) and footer == masked(payload)
        at += 16 + length


def varint(n):
    out = bytearray()
    n &= (1 << 64) - 1
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out) + bytes([n])


def field(number, data):
    """A length-delimited field."""
    return varint(number << 3 | 2) + varint(len(data)) + data


def int64_list(values):
    return field(3, field(1, b''.join(map(varint, values))))


def float_list(values):
    return field(2, field(1, struct.pack('<%df' % len(values), *values)))


def bytes_list(values):
    return field(1, b''.join(field(1, v) for v in values))


def entry(key, feature):
    return field(1, field(1, key) + field(2, feature))


def example(features):
    """An Example of {key: Feature bytes}, keys sorted as libtfr sorts them."""
    return field(1, b''.join(entry(k.encode(), features[k]) for k in sorted(features)))


def main(verb, *arguments):
    out = sys.stdout.buffer
    if verb == 'write':
        for text in arguments:
            out.write(frame(text.encode().decode('unicode_escape').encode('latin-1')))
    elif verb == 'forge':
        out.write(header(int(arguments[0], 0)) + b'spam')
    elif verb == 'list':
        with open(arguments[0], 'rb') as f:
            for offset, payload, good in unframe(f.read()):
                print(offset, len(payload) + 16, 'good' if good else 'bad')
    else:
        sys.exit(__doc__)


if __name__ == '__main__':
    main(*sys.argv[1:])
