"""What the records of a set made of pairs hold: masks.py FOLDER < `tfr show --json --bytes base64`.

A line a record: the picture's name; "kept" where the mask has the bytes of the file below FOLDER/masks, "8-bit gray"
where it is another PNG of that kind; "equal" where its numbers are those of FOLDER/NAME.u8."""
import base64
import json
import pathlib
import struct
import sys
import zlib


def gray(png):
    """The numbers of an 8-bit gray PNG of unfiltered rows."""
    width, height, depth, colour, _, _, interlaced = struct.unpack('>IIBBBBB', png[16:29])
    assert (depth, colour, interlaced) == (8, 0, 0), (depth, colour, interlaced)
    data, at = b'', 8
    while at < len(png):
        size, kind = struct.unpack('>I4s', png[at:at + 8])
        data += png[at + 8:at + 8 + size] if kind == b'IDAT' else b''
        at += size + 12
    rows = zlib.decompress(data)
    assert set(rows[::width + 1]) == {0} and len(rows) == height * (width + 1)
    return b''.join(rows[y * (width + 1) + 1:(y + 1) * (width + 1)] for y in range(height))


folder = pathlib.Path(sys.argv[1])
for line in sys.stdin:
    record = json.loads(line)
    name = record['image/filename'][0]
    stem = pathlib.Path(name).stem
    mask = base64.b64decode(record['image/segmentation/class/encoded'][0]['base64'])
    assert record['image/segmentation/class/format'] == ['png']
    kept = mask == (folder / 'masks' / (stem + '.png')).read_bytes()
    numbers = folder / (stem + '.u8')
    # Unfiltered rows are what tfr writes; Pillow filters its own.
    equal = not kept and gray(mask) == numbers.read_bytes()
    print(name, 'kept' if kept else '8-bit gray', 'equal' if equal else '')
