"""CRC-32C and content that is generated instead of stored."""
import base64
import ctypes
import ctypes.util
import struct

try:
    _isal = ctypes.CDLL('libisal.so.2').crc32_iscsi
    _isal.restype, _isal.argtypes = ctypes.c_uint32, [ctypes.c_char_p, ctypes.c_int, ctypes.c_uint32]
except (OSError, AttributeError):
    _isal = None


def _table():
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82f63b78 if n & 1 else 0)
        yield n


TABLE = list(_table())


def crc32c(data):
    """By ISA-L if it is installed, since Python's own loop takes a second for some megabytes."""
    data = bytes(data)
    if _isal:
        return _isal(data, len(data), 0xffffffff) ^ 0xffffffff
    crc = 0xffffffff
    for byte in data:
        crc = TABLE[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ 0xffffffff


def crc32c_base64(data):
    return base64.b64encode(struct.pack('>I', crc32c(data))).decode()


def _masked(data):
    crc = crc32c(data)
    return struct.pack('<I', ((crc >> 15 | crc << 17) + 0xa282ead8) & 0xffffffff)


def record(payload):
    """One framed record of a TFRecord file."""
    size = struct.pack('<Q', len(payload))
    return size + _masked(size) + payload + _masked(payload)


class Repeated:
    """`count` times the same bytes, computed where they are read."""

    def __init__(self, piece, count):
        self.piece, self.size = piece, len(piece) * count
        self.buffer = piece * max(2, -(-(2 << 20) // len(piece)) + 1)

    def __len__(self):
        return self.size

    def __getitem__(self, part):
        first, last, _ = part.indices(self.size)
        return View(self, first, last)


class View:
    """A range of generated content; slices of up to 1 MiB become bytes."""

    def __init__(self, content, first, last):
        self.content, self.first, self.last = content, first, max(first, last)

    def __len__(self):
        return self.last - self.first

    def __getitem__(self, part):
        first, last, _ = part.indices(len(self))
        if last - first > 1 << 20:
            return View(self.content, self.first + first, self.first + last)
        at = (self.first + first) % len(self.content.piece)
        return memoryview(self.content.buffer)[at:at + last - first]

    def __bytes__(self):
        return b''.join(self[i:i + (1 << 20)] for i in range(0, len(self), 1 << 20))
