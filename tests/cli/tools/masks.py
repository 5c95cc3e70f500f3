"""Masks in records: masks.py pairs|coco FOLDER < `tfr show --json --bytes base64`, and images for them.

pairs    a line a record: the image's name; "kept" where the mask has the bytes of the file below FOLDER/masks, "8-bit
         gray" where it is another PNG of that kind; "equal" where its numbers are those of FOLDER/NAME.u8
coco     a line a record: the image's name, how many masks it has, and how many of them FOLDER/masks.json says so
draw     a line a record and below it its masks, a character a pixel
panoptic a line a mask of panoptic: the image's name, which one, its numbers row after row
images writes to FOLDER gray images of the sizes and names that the annotations on standard input have
"""
import base64
import hashlib
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


def decoded(record, key):
    return [base64.b64decode(value['base64']) for value in record.get(key, [])]


def pairs(folder):
    for line in sys.stdin:
        record = json.loads(line)
        name = record['image/filename'][0]
        stem = pathlib.Path(name).stem
        mask, = decoded(record, 'image/segmentation/class/encoded')
        assert record['image/segmentation/class/format'] == ['png']
        kept = mask == (folder / 'masks' / (stem + '.png')).read_bytes()
        # Unfiltered rows are what tfr writes; Pillow filters its own.
        equal = not kept and gray(mask) == (folder / (stem + '.u8')).read_bytes()
        print(name, 'kept' if kept else '8-bit gray', 'equal' if equal else '')


def coco(folder):
    annotations = json.loads((folder / 'instances.json').read_text())['annotations']
    sums = json.loads((folder / 'masks.json').read_text())
    for line in sys.stdin:
        record = json.loads(line)
        wanted = [sums[str(a['id'])] for a in annotations if a['image_id'] == int(record['image/source_id'][0])]
        masks = [hashlib.sha1(gray(mask)).hexdigest() for mask in decoded(record, 'image/object/mask')]
        print(record['image/filename'][0], len(masks), sum(a == b for a, b in zip(masks, wanted, strict=True)))


def panoptic(_):
    for line in sys.stdin:
        record = json.loads(line)
        for name in 'category_mask', 'instance_mask':
            for mask in decoded(record, 'image/panoptic/' + name):
                print(record['image/filename'][0], name, *gray(mask))


def draw(_):
    for line in sys.stdin:
        record = json.loads(line)
        width = record['image/width'][0]
        print(record['image/filename'][0])
        for mask in map(gray, decoded(record, 'image/object/mask')):
            print(*(''.join('.#'[v] for v in mask[at:at + width]) for at in range(0, len(mask), width)), '', sep='\n')


def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))


def images(folder):
    for image in json.load(sys.stdin)['images']:
        width, height = image['width'], image['height']
        path = folder / image['file_name']
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 0, 0, 0, 0)) +
                         chunk(b'IDAT', zlib.compress(bytes(width + 1) * height)) + chunk(b'IEND', b''))


{'pairs': pairs, 'coco': coco, 'draw': draw, 'panoptic': panoptic, 'images': images}[sys.argv[1]](pathlib.Path(sys.argv[2]))
