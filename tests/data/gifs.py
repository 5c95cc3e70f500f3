"""GIFs of several frames, good and damaged: CASES has the bytes of each and its number of frames.

Which of them are intact is TensorFlow's word: tf.io.decode_gif gives every frame of an intact one (tests/interop).  In TRUNCATED
every frame is there, but the file ends inside a block, or has one of unknown type, after them."""
import struct

COLOURS = bytes([255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9])
TRUNCATED = ('extension-cut', 'extension-cut-after-label', 'extension-cut-after-mark', 'unknown-block-last')


def compressed(pixels, bits=2):
    """LZW codes of one width: the table is cleared before it grows."""
    codes = [1 << bits] if not pixels else []
    for n, pixel in enumerate(pixels):
        codes += ([1 << bits] if n % ((1 << bits) - 2) == 0 else []) + [pixel]
    codes.append((1 << bits) + 1)
    packed = sum(code << n * (bits + 1) for n, code in enumerate(codes))
    return packed.to_bytes((len(codes) * (bits + 1) + 7) // 8, 'little')


def flags(colours):
    return 0x80 | (len(colours) // 3).bit_length() - 2 if colours else 0


def head(colours=COLOURS):
    return b'GIF89a' + struct.pack('<HHBBB', 4, 3, flags(colours), 0, 0) + colours


def frame(w=4, h=3, at=(0, 0), colours=b'', pixels=None, interlaced=False, bits=2, data=None):
    data = compressed([n * 7 % 4 for n in range(w * h)] if pixels is None else pixels) if data is None else data
    return (b'\x2c' + struct.pack('<HHHHB', *at, w, h, flags(colours) | 0x40 * interlaced) + colours + bytes([bits])
            + (bytes([len(data)]) + data if data else b'') + b'\0')


def control(transparent):
    return b'\x21\xf9\x04\x01\0\0' + bytes([transparent, 0])


GOOD, END, NOTE = frame(), b'\x3b', b'\x21\xfe\x05hello\0'
TWO = head(COLOURS[:6]) + frame(pixels=[0, 1] * 6)     # of two colours
OWN = head(b'') + frame(colours=COLOURS)               # the first frame alone has a map
CASES = {
    'one': (head() + GOOD + END, 1),
    'three': (head() + NOTE + control(2) + GOOD + control(1) + GOOD + NOTE + GOOD + END, 3),
    'no-trailer': (head() + GOOD + GOOD, 2),
    'after-the-trailer': (head() + GOOD + GOOD + END + b'junk', 2),
    'maps': (head(b'') + frame(colours=COLOURS) * 2 + END, 2),
    'map-missing-first': (head(b'') + GOOD + frame(colours=COLOURS) + END, 2),
    'map-missing': (OWN + GOOD + END, 2),
    'map-missing-outside': (OWN + frame(at=(9, 9)) + END, 2),
    'map-missing-transparent': (OWN + control(2) + frame(pixels=[2] * 12) + END, 2),
    'cut-first': (head() + NOTE + GOOD[:12], 1),
    **{'cut-%d' % n: (head() + GOOD + GOOD[:n], 2) for n in (1, 5, 10, 11, 12, len(GOOD) - 1)},
    'extension-cut': (head() + GOOD + NOTE[:5], 1),
    'extension-cut-after-label': (head() + GOOD + GOOD + NOTE[:2], 2),
    'extension-cut-after-mark': (head() + GOOD + NOTE[:1], 1),
    'unknown-block': (head() + GOOD + b'\x11' + GOOD + END, 2),
    'unknown-block-last': (head() + GOOD + GOOD + b'\x11' + END, 2),
    'zero-first': (head() + b'\0' + GOOD + END, 1),
    'zero-between': (head() + GOOD + b'\0\0' + GOOD + END, 2),
    'zero-last': (head() + GOOD + GOOD + b'\0' + END, 2),
    'pixels-few-first': (head() + frame(pixels=[1] * 5) + GOOD + END, 2),
    'pixels-few': (head() + GOOD + frame(pixels=[1] * 5) + GOOD + END, 3),
    'pixels-few-interlaced': (head() + GOOD + frame(h=9, interlaced=True, pixels=[1] * 20) + END, 2),
    'pixels-none': (head() + GOOD + frame(pixels=[]) + END, 2),
    'pixels-many': (head() + frame(pixels=[1] * 50) * 2 + END, 2),
    'codes-none': (head() + GOOD + frame(data=b'') + END, 2),
    'codes-bad': (head() + GOOD + frame(data=b'\x04\xff\xff') + END, 2),
    'codes-wide': (head() + GOOD + frame(bits=13) + END, 2),
    'colour-first': (head(COLOURS[:6]) + frame(pixels=[3] * 12) + END, 1),
    'colour': (TWO + frame(pixels=[3] * 12) + END, 2),
    'colour-transparent': (TWO + control(3) + frame(pixels=[3] * 12) + END, 2),
    'colour-transparent-before': (head(COLOURS[:6]) + control(3) + frame(pixels=[3] * 12) * 2 + END, 2),
    'colour-right': (TWO + frame(at=(2, 0), pixels=[0, 0, 3, 3] * 3) + END, 2),
    'colour-below': (TWO + frame(at=(0, 2), pixels=[0] * 4 + [3] * 8) + END, 2),
    'colour-below-first': (head(COLOURS[:6]) + frame(at=(0, 2), pixels=[0] * 4 + [3] * 8) + END, 1),
    'outside': (head() + GOOD + frame(at=(100, 100)) + END, 2),
    'larger': (head() + GOOD + frame(8, 6) + END, 2),
    'interlaced': (head() + GOOD + frame(h=9, interlaced=True) + END, 2),
    'no-width': (head() + GOOD + frame(0) + GOOD + END, 3),
    'no-height': (head() + GOOD + frame(h=0) + END, 2),
    'no-width-first': (head() + frame(0) + GOOD + END, 2),
    'no-height-first': (head() + frame(h=0) + GOOD + END, 2),
    'no-frame': (head() + NOTE + END, 0),
}
