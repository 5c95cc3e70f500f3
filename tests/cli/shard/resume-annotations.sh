# Of each kind of input: a finished run is known again, and no run goes on, and no part is joined, with an annotation
# or another file beside the images that was replaced meanwhile by one of its size.
exec 2>&1
python3 - << 'X'
import json, os, pathlib, struct, zlib
jpeg = (pathlib.Path(os.environ['DATA']) / 'media/420.jpg').read_bytes()   # 33 x 25
N = 120

def png(channels):
    def chunk(name, data):
        return struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))
    row = b'\0' + b'\1\0\0\1\0\0'[:channels] * 33
    return b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', 33, 25, 8, 2 if channels == 3 else 0, 0, 0, 0)) \
        + chunk(b'IDAT', zlib.compress(row * 25)) + chunk(b'IEND', b'')

def write(path, data):
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())

def images(folder):
    for i in range(N):
        write('%s/%03d.jpg' % (folder, i), jpeg)

listed = [{'id': i, 'file_name': '%03d.jpg' % i, 'width': 33, 'height': 25} for i in range(N)]
boxes = {'images': listed, 'categories': [{'id': 1, 'name': 'Puss'}],
         'annotations': [{'id': i, 'image_id': i, 'category_id': 1, 'area': 4, 'bbox': [1, 1, 2, 2]} for i in range(N)]}
for folder in ('coco', 'yolo/images', 'names/images', 'voc', 'csv', 'jsonl', 'pairs/images', 'panoptic/images', 'classes/cat', 'list'):
    images(folder)
write('coco/_annotations.coco.json', json.dumps(boxes))
for i in range(N):
    write('yolo/labels/%03d.txt' % i, '0 0.5 0.5 0.2 0.2')
    write('names/labels/%03d.txt' % i, '0 0.5 0.5 0.2 0.2')
    write('voc/%03d.xml' % i, '<annotation><filename>%03d.jpg</filename><size><width>33</width><height>25</height><depth>3</depth></size>'
          '<object><name>Puss</name><bndbox><xmin>2</xmin><ymin>2</ymin><xmax>9</xmax><ymax>9</ymax></bndbox></object></annotation>' % i)
    write('pairs/masks/%03d.png' % i, png(1))
    write('panoptic/segments/%03d.png' % i, png(3))
write('yolo/data.yaml', 'names: [cat, Puss]\n')
write('names/classes.txt', 'cat\nPuss\n')
write('csv/metadata.csv', 'file_name,text\n' + ''.join('%03d.jpg,Puss\n' % i for i in range(N)))
write('jsonl/metadata.jsonl', ''.join('{"file_name": "%03d.jpg", "text": "Puss"}\n' % i for i in range(N)))
write('panoptic/p.json', json.dumps({'images': listed, 'categories': [{'id': 1, 'name': 'Puss', 'isthing': 1}],
      'annotations': [{'image_id': i, 'file_name': '%03d.png' % i, 'segments_info': [{'id': 1, 'category_id': 1}]} for i in range(N)]}))
write('labels', 'cat\nPuss\n')
write('synsets', 'cat\tPuss\n')
write('numbers', 'Puss\n' * N)
X
replace() { python3 - "$1" << 'X'
import sys
with open(sys.argv[1], 'r+b') as f:
    data = f.read()
    f.seek(0)
    f.write(data.replace(b'Puss', b'Poss') if b'Puss' in data else data[:-1] + bytes([data[-1] ^ 1]))
X
}
# Counts what differs from the promise, so that the output is one line for each kind and file.
try() {   # FILE ARGUMENT...
  local file=$1; shift; echo "$file: $*"
  cp -p "$file" kept; rm -rf out; mkdir out out/all out/parts
  tfr shard -q "$@" -o out/all/t@2; tfr shard --resume "$@" -o out/all/t@2 2>&1 | grep -o 'already complete' || echo "not known again"
  ( trap '' XFSZ; ulimit -f 40; tfr shard -q --checkpoint 0.0001 --resume "$@" -o out/t@2 ) > /dev/null 2>&1
  [ -e out/.t@2.resume ] || echo "no state"
  tfr shard -q "$@" -o out/parts/t@2 --part 0/2
  replace "$file"
  tfr shard -q --resume "$@" -o out/t@2 2>&1 | grep -o 'since the run to be resumed, files were changed' || echo "RESUMED"
  tfr shard -q --resume "$@" -o out/all/t@2 2>&1 | grep -o 'since the completed run, files were changed' || echo "STILL COMPLETE"
  tfr shard -q "$@" -o out/parts/t@2 --part 1/2
  tfr finish out/parts/t@2 2>&1 | grep -o 'had other or changed input files' || echo "JOINED"
  cp -p kept "$file"
}
try coco/_annotations.coco.json coco
try coco/007.jpg coco
try yolo/data.yaml yolo
try yolo/labels/007.txt yolo
try names/classes.txt names
try voc/007.xml voc
try csv/metadata.csv csv
try jsonl/metadata.jsonl jsonl
try pairs/masks/007.png pairs/images --mask pairs/masks
try panoptic/p.json panoptic/images --panoptic panoptic/p.json --panoptic-masks panoptic/segments
try panoptic/segments/007.png panoptic/images --panoptic panoptic/p.json --panoptic-masks panoptic/segments
try labels classes --labels labels
try synsets classes --synsets synsets
try numbers list --class-list numbers
