"""The commands that tests/faults attacks, and the small inputs that they read.

A command runs in an empty folder with a link `in` to the inputs.  `before` are shell commands that lay out what it
finds there; they run once.  Each subcommand has one, and each kind of output and of input to `shard`."""
import dataclasses
import json
import pathlib
import shlex
import shutil
import struct
import subprocess
import tarfile
import zipfile
import zlib

DATA = pathlib.Path(__file__).resolve().parent.parent / 'data'


@dataclasses.dataclass
class Command:
    name: str
    line: str             # arguments, as the shell has them
    before: str = ''      # shell commands
    stdin: str = ''       # a file
    same: bool = True     # stdout is the same in every run
    resumes: bool = False # may leave what a second run goes on with
    apart: bool = False   # outputs appear one by one
    swap: str = ''        # an input that the file "other" replaces between two calls, with --looks

    def streams(self):
        """Whether it prints as it goes on, so that a failing run prints a part.  Others report what they saw."""
        return self.same and self.line.split()[0] in ('cat', 'show', 'schema', 'stats', 'completion', 'version')

    def arguments(self, tfr):
        return [str(tfr)] + shlex.split(self.line)


BENCH = '-j2 --batch 4 --size 16 --steps 4 --shuffle-buffer 8 -m 16M'
COMMANDS = [Command(*row) if isinstance(row, tuple) else row for row in [
    ('cat-file', 'cat in/a.tfrecord -o out.tfrecord'),
    ('cat-file-force', 'cat -f in/a.tfrecord -o out.tfrecord', 'cp in/k.tfrecord out.tfrecord'),
    ('cat-set', 'cat in/a.tfrecord -o out@2.tfrecord'),
    ('cat-set-force', 'cat -f in/a.tfrecord -o out@2.tfrecord', 'tfr cat -q in/k.tfrecord -o out@2.tfrecord'),
    ('cat-gzip', 'cat -f in/a.tfrecord -o out.tfrecord.gz'),
    ('cat-stdout', 'cat -q in/k.tfrecord --where "exists(many)"'),
    Command('cat-stdin', 'cat - -o out.tfrecord', stdin='in/k.tfrecord.gz'),
    ('cat-mix', 'cat --mix in/s@2.tfrecord=2,in/k.tfrecord=1 --sample 0.5 --shuffle-buffer 3 -o out.tfrecord'),
    ('cat-quarantine', 'cat --on-error quarantine=bad.bin in/bad.tfrecord -o out.tfrecord'),
    ('count', 'count in/s@2.tfrecord'),
    ('count-sum', 'count -j2 --sum --per-file in/s@2.tfrecord in/k.tfrecord.gz'),
    ('count-by', 'count -j2 --by image/class/text in/c@2.tfrecord'),
    ('count-manifest', 'count --manifest --json in/s@2.tfrecord'),
    ('show', 'show in/k.tfrecord'),
    ('show-json', 'show --json in/k.tfrecord'),
    ('show-html', 'show --html page.html -n 3 in/a.tfrecord'),
    ('show-events', 'show in/events'),
    ('check', 'check -j2 in/s@2.tfrecord'),
    ('check-manifest', 'check -j2 --manifest --strict in/s@2.tfrecord'),
    ('check-decode', 'check -j2 --decode in/a.tfrecord'),
    ('check-schema', 'check -j2 --schema in/schema.json --format junit in/s@2.tfrecord'),
    ('check-schema-pbtxt', 'check --schema in/schema.pbtxt in/a.tfrecord'),
    ('check-bad', 'check -j2 --json in/bad.tfrecord in/a.tfrecord'),
    ('stats', 'stats -j2 in/a.tfrecord'),
    ('stats-html', 'stats -j2 --order image/class/label --html page.html in/c@2.tfrecord'),
    ('stats-merge', 'stats --merge --json in/stats.json in/stats.json'),
    ('schema', 'schema -j2 in/k.tfrecord'),
    ('schema-python', 'schema -j2 --emit python in/a.tfrecord'),
    ('index', 'index -j2 a.tfrecord', 'cp -p in/a.tfrecord .'),
    Command('index-gzi', 'index a.tfrecord.gz k.tfrecord.gz', 'cp -p in/a.tfrecord.gz in/k.tfrecord.gz .', apart=True),
    ('index-check', 'index --check a.tfrecord', 'cp -p in/a.tfrecord .; tfr index -q a.tfrecord'),
    ('shard-folder', 'shard -j2 in/classes -o out@2.tfrecord'),
    ('shard-folder-force', 'shard -j2 -f in/classes -o out@2.tfrecord', 'tfr shard -q --seed 5 in/flat -o out@2.tfrecord'),
    ('shard-divide', 'shard -j2 in/classes --stratify-classes -o out/a@2.tfrecord=0.5 -o out/b@1.tfrecord --report odd.txt', 'mkdir out'),
    ('shard-resize', 'shard -j2 in/classes --resize 8 --reencode jpeg --sha256 --verify-images -o out@2.tfrecord'),
    ('shard-tfds', 'shard -j2 in/classes --tfds ds'),
    Command('shard-resume', 'shard -j2 --resume in/classes --checkpoint 0.0001 -o out@2.tfrecord', resumes=True),
    ('shard-resume-again', 'shard -j2 --resume in/classes -o out@auto.tfrecord', 'tfr shard -q in/classes -o out@auto.tfrecord'),
    ('shard-csv', 'shard -j2 in/t.csv -o out@2.tfrecord'),
    ('shard-embed', 'shard -j2 in/embed.csv --embed path=image/encoded -o out@2.tfrecord'),
    ('shard-jsonl', 'shard -j2 in/t.jsonl -o out@2.tfrecord'),
    ('shard-tar', 'shard -j2 in/t.tar -o out@2.tfrecord'),
    ('shard-tgz', 'shard -j2 in/t.tar.gz -o out@2.tfrecord'),
    ('shard-webdataset', 'shard -j2 --from webdataset in/w.tar -o out@2.tfrecord'),
    ('shard-npy', 'shard -j2 in/arrays/cube.npy -o out@2.tfrecord'),
    ('shard-npz', 'shard -j2 in/arrays/packed.npz -o out@2.tfrecord'),
    ('shard-hdf5', 'shard -j2 in/arrays/lzf.h5 -o out@2.tfrecord'),
    ('shard-audio', 'shard -j2 --audio floats in/audio -o out@2.tfrecord'),
    ('shard-coco', 'shard -j2 --draw-masks --annotations in/coco.json in/flat -o out@2.tfrecord'),
    ('shard-voc', 'shard -j2 in/voc -o out@2.tfrecord'),
    ('shard-yolo', 'shard -j2 in/yolo -o out@2.tfrecord'),
    ('shard-yolo-flat', 'shard in/yolo-flat -o out.tfrecord'),
    ('shard-yolo-alone', 'shard in/yolo-splits/images/train -o out.tfrecord'),
    ('shard-yolo-robo', 'shard in/yolo-robo -o a.tfrecord=train/ -o b.tfrecord=valid/'),
    ('shard-coco-found', 'shard in/coco-found -o a.tfrecord=train/ -o b.tfrecord=val/'),
    ('shard-webdatasets', 'shard "in/shards-{0..1}.tar" -o out.tfrecord'),
    ('shard-pairs', 'shard -j2 in/pairs/images --mask in/pairs/masks -o out@2.tfrecord'),
    ('shard-metadata', 'shard -j2 in/meta -o out@2.tfrecord'),
    ('shard-csv-boxes', 'shard -j2 in/csv-boxes -o a.tfrecord=train/ -o b.tfrecord=val/'),
    ('shard-csv-classes', 'shard -j2 in/csv-classes -o out@2.tfrecord'),
    ('shard-createml', 'shard -j2 in/createml -o out@2.tfrecord'),
    ('shard-mediapipe', 'shard -j2 in/mediapipe -o out@2.tfrecord'),
    ('shard-polygons', 'shard -j2 --draw-masks in/polygons -o out@2.tfrecord'),
    ('shard-tar-coco', 'shard -j2 in/coco.tar -o a.tfrecord=train/ -o b.tfrecord=val/'),
    ('shard-zip-yolo', 'shard -j2 in/yolo.zip -o a.tfrecord=train/ -o b.tfrecord=val/'),
    ('shard-tgz-metadata', 'shard -j2 in/meta.tar.gz -o out@2.tfrecord'),
    ('shard-records', 'shard -j2 --from records in/s@2.tfrecord -o out@3.tfrecord'),
    ('shard-part', 'shard -j2 in/classes -o out@3.tfrecord --part 0/2'),
    ('shard-part-again', 'shard -j2 in/classes -o out@3.tfrecord --part 0/2', 'tfr shard -q in/classes -o out@3.tfrecord --part 0/2'),
    Command('finish', 'finish -j2 out@3.tfrecord', 'for i in 0 1; do tfr shard -q in/classes -o out@3.tfrecord --part $i/2; done', apart=True),
    ('shuffle', 'shuffle-to-disk -j2 in/a.tfrecord -o out@2.tfrecord'),
    ('shuffle-spill', 'shuffle-to-disk -j2 -m 8M --tmpdir . in/large.tfrecord -o out.tfrecord'),
    ('resample', 'resample -j2 --by image/class/text --per-class 2 in/c@2.tfrecord -o out@2.tfrecord'),
    ('resample-over', 'resample --by image/class/text --method oversample --target uniform --total 9 in/c@2.tfrecord -o out.tfrecord'),
    ('split', 'split -j2 in/a.tfrecord -o a@2.tfrecord=0.5 -o b@1.tfrecord'),
    ('split-stratify', 'split -j2 --stratify image/class/text in/c@2.tfrecord -o a.tfrecord=0.5 -o b.tfrecord'),
    ('dedup', 'dedup -j2 in/a.tfrecord in/s@2.tfrecord --report twice.txt -o out@2.tfrecord'),
    ('diff', 'diff -j2 in/a.tfrecord in/k.tfrecord'),
    ('diff-junit', 'diff -j2 --format junit in/a.tfrecord in/k.tfrecord'),
    ('diff-classes', 'diff -j2 a.tfrecord b.tfrecord', 'tfr shard -q in/classes -o a.tfrecord; tfr shard -q --label-base 1 in/classes -o b.tfrecord; rm *labels.txt'),
    ('diff-overlap', 'diff -j2 --overlap in/a.tfrecord in/s@2.tfrecord'),
    ('repair', 'repair in/bad.tfrecord --on-error quarantine=lost.bin -o out.tfrecord'),
    ('repair-report', 'repair --dry-run --json in/bad.tfrecord'),
    ('export-folder', 'export -j2 in/c@2.tfrecord -o out/'),
    ('export-folder-force', 'export -j2 -f in/c@2.tfrecord -o out/', 'mkdir -p out/apple; echo old > out/apple/0.png'),
    ('export-tar', 'export -j2 in/c@2.tfrecord -o out.tar'),
    ('export-jsonl', 'export -j2 in/k.tfrecord -o out.jsonl'),
    ('export-csv', 'export -j2 in/list@2.tfrecord -o out.csv'),
    ('doctor', 'doctor -j2 set', 'cp -rp in/set .'),
    ('doctor-bad', 'doctor -j2 --json set', 'cp -rp in/set .; cp -p in/bad.tfrecord set/'),
    ('doctor-github', 'doctor -j2 --format github set', 'cp -rp in/set .; cp -p in/bad.tfrecord set/'),
    ('doctor-files', 'doctor -j2 --label image/class/label kinds',
     'mkdir kinds; for i in 0 1; do cp -p in/a.tfrecord kinds/d-0000$i-of-00002.tfrecord; done'),
    ('doctor-manifest', 'doctor -j2 in/s.2-tfrecord.manifest.json'),
    Command('bench-host', 'bench-feed --device host --verify-transfers %s in/a.tfrecord' % BENCH, same=False),
    Command('bench-sim', 'bench-feed --device sim:1G,1us,2 %s --json --trace trace.json --html page.html in/s@2.tfrecord' % BENCH, same=False, apart=True),
    Command('bench-cache', 'bench-feed --device host -j2 --steps 4 --stages "read,parse,decode,resize=16,cache,batch=4" --epochs 2 in/a.tfrecord',
            same=False),
    ('completion', 'completion bash'),
    ('version', 'version'),
]]

# What tests/faults/run --looks attacks as well: the kinds of inputs that are found by looking at folders and beside files.
LOOKS = [Command(*row) if isinstance(row, tuple) else row for row in [
    ('cat-folder', 'cat in/odd -o out.tfrecord'),
    ('cat-glob', 'cat "in/*/x-?.rec" -o out.tfrecord'),
    ('cat-list', 'cat @in/names -o out.tfrecord', 'cp -p in/k.tfrecord .'),
    ('cat-any', 'cat in/s@*.tfrecord -o out.tfrecord'),
    ('cat-mix-index', 'cat --mix in/indexed/a.tfrecord=2,in/indexed/k.tfrecord.gz=1 --sample 0.5 --shuffle-buffer 3 -o out.tfrecord'),
    ('cat-mix-folder', 'cat --mix in/odd=2,in/k.tfrecord=1 -o out.tfrecord'),
    ('check-folder', 'check in/odd'),
    ('check-expect', 'check --manifest in/set/'),
    ('count-folder', 'count --sum in/odd'),
    ('count-class', 'count --by image/class/label in/c@2.tfrecord'),
    ('stats-folder', 'stats in/odd'),
    ('show-glob', 'show "in/odd/x-*"'),
    ('diff-folder', 'diff in/odd in/a.tfrecord'),
    ('doctor-deep', 'doctor in/indexed'),
    ('shard-splits', 'shard in/splits -o a.tfrecord=train/ -o b.tfrecord=val/'),
    ('shard-links', 'shard in/links -o out.tfrecord'),
    ('shard-labels', 'shard in/classes --labels in/labels.txt -o out.tfrecord'),
    ('shard-labels-again', 'shard -f in/classes -o out.tfrecord', 'tfr shard -q in/classes -o out.tfrecord'),
    ('shard-siblings', 'shard in/classes/pear -o out.tfrecord --class-list in/class-list', 'tfr shard -q in/classes -o other.tfrecord'),
    ('shard-globs', 'shard in/classes --include "*.png" --exclude "*/1.png" -o out.tfrecord'),
    ('shard-audio-classes', 'shard in/sounds -o out.tfrecord'),
    ('shard-yolo-splits', 'shard in/yolo-splits -o a.tfrecord=train/ -o b.tfrecord=val/'),
    ('shard-yolo-from', 'shard --from yolo in/yolo-splits/images/train -o out.tfrecord'),
    ('shard-voc-flat', 'shard in/voc-flat -o out.tfrecord'),
    ('shard-voc-splits', 'shard in/voc-splits -o a.tfrecord=train/ -o b.tfrecord=val/'),
    ('shard-coco-robo', 'shard in/coco-robo -o a.tfrecord=train/ -o b.tfrecord=valid/'),
    ('shard-metadata-splits', 'shard in/meta-splits -o a.tfrecord=train/ -o b.tfrecord=val/'),
    ('shard-csv-boxes-found', 'shard in/csv-boxes -o a.tfrecord=train/ -o b.tfrecord=val/'),
    ('shard-createml-found', 'shard in/createml -o out.tfrecord'),
    ('shard-mediapipe-found', 'shard in/mediapipe -o out.tfrecord'),
    ('shard-tar-voc', 'shard in/voc.tar -o out.tfrecord'),
    ('shard-zip', 'shard in/t.zip -o out.tfrecord'),
    ('shard-webdataset-glob', 'shard --from webdataset "in/shards-*.tar" -o out.tfrecord'),
    ('shard-records-folder', 'shard --from records in/odd -o out.tfrecord'),
    ('shard-root', 'shard in/embed.csv --embed path=image/encoded --root in -o out.tfrecord'),
    ('shard-part-last', 'shard in/classes -o out@3.tfrecord --part 1/2', 'tfr shard -q in/classes -o out@3.tfrecord --part 0/2'),
    ('shard-dry', 'shard --dry-run in/yolo-splits -o a.tfrecord=train/ -o b.tfrecord=val/'),
    ('resample-folder', 'resample --by image/class/text --per-class 2 in/set -o out.tfrecord'),
    ('shuffle-folder', 'shuffle-to-disk in/odd -o out.tfrecord'),
    ('split-folder', 'split in/odd -o a.tfrecord=0.5 -o b.tfrecord'),
    ('dedup-folder', 'dedup in/odd -o out.tfrecord'),
    ('export-set', 'export in/set -o out.tar'),
    ('schema-folder', 'schema in/odd'),
    *(Command('swap-' + name, line % ('x' + end), 'cp %s x%s; cp %s other' % (one, end, other), swap='x' + end)
      for name, line, end, one, other in (
          ('cat', 'cat %s -o out.tfrecord', '.tfrecord', 'in/a.tfrecord', 'in/odd/x-1.rec'),
          ('cat-gzip', 'cat %s -o out.tfrecord', '.tfrecord.gz', 'in/a.tfrecord.gz', 'in/k.tfrecord.gz'),
          ('count-sum', 'count --sum %s', '.tfrecord', 'in/a.tfrecord', 'in/k.tfrecord'),
          ('stats', 'stats -j2 %s', '.tfrecord', 'in/a.tfrecord', 'in/k.tfrecord'),
          ('shuffle', 'shuffle-to-disk %s -o out.tfrecord', '.tfrecord', 'in/a.tfrecord', 'in/k.tfrecord'),
          ('dedup', 'dedup %s -o out.tfrecord', '.tfrecord', 'in/a.tfrecord', 'in/k.tfrecord'),
          ('csv', 'shard %s -o out.tfrecord', '.csv', 'in/t.csv', 'in/other.csv'),
          ('jsonl', 'shard %s -o out.tfrecord', '.jsonl', 'in/t.jsonl', 'in/other.jsonl'),
          ('tar', 'shard %s -o out.tfrecord', '.tar', 'in/t.tar', 'in/other.tar'),
          ('zip', 'shard %s -o out.tfrecord', '.zip', 'in/t.zip', 'in/other.zip'),
          ('npy', 'shard %s -o out.tfrecord', '.npy', 'in/arrays/cube.npy', 'in/other.npy'),
          ('npz', 'shard %s -o out.tfrecord', '.npz', 'in/arrays/packed.npz', 'in/arrays/stored.npz'),
          ('hdf5', 'shard %s -o out.tfrecord', '.h5', 'in/arrays/lzf.h5', 'in/arrays/kinds.h5'),
          ('records', 'shard --from records %s -o out.tfrecord', '.tfrecord', 'in/a.tfrecord', 'in/k.tfrecord'),
          ('coco', 'shard in/flat --annotations %s -o out.tfrecord', '.json', 'in/coco.json', 'in/coco-robo/train/_annotations.coco.json'))),
    Command('bench-folder', 'bench-feed --device host %s in/set' % BENCH, same=False),
]]


def example(**features):
    """An Example of bytes features."""
    def field(number, payload):
        return bytes([number << 3 | 2]) + varint(len(payload)) + payload
    entries = b''
    for name, value in sorted(features.items()):
        entries += field(1, field(1, name.encode()) + field(2, field(1, field(1, value))))
    return field(1, entries)


def varint(n):
    out = b''
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ 0x82f63b78 & -(crc & 1)
    return crc ^ 0xffffffff


def png(width, height, shade):
    def chunk(kind, data):
        return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
    rows = b''.join(b'\0' + bytes((shade + x * 7 + y * 3) % 256 for x in range(width) for _ in range(3)) for y in range(height))
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 2, 0, 0, 0)) +
            chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))


def tar(path, members):
    with tarfile.open(path, 'w:gz' if path.suffix == '.gz' else 'w', format=tarfile.USTAR_FORMAT) as out:
        for name, file in members:
            out.add(file, name)


def images(top):
    """Folders of images in every layout that `shard` takes."""
    for name in ('classes/apple/0', 'classes/apple/1', 'classes/pear/0', 'classes/pear/1'):
        file = top / (name + '.png')
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(png(12, 10, len(name) * 11))
    (top / 'flat').mkdir()
    for k in range(3):
        (top / 'flat' / ('%d.png' % k)).write_bytes(png(16, 12, k * 40))
    shutil.copy(DATA / 'media' / '420.jpg', top / 'flat' / '3.jpg')
    shutil.copy(DATA / 'media' / '420.jpg', top / 'classes' / 'pear' / '2.jpg')
    annotations = [{'id': k, 'image_id': k, 'category_id': 1, 'bbox': [1, 1, 5, 5], 'area': 25, 'iscrowd': 0,
                    'segmentation': [[1, 1, 6, 1, 6, 6]]} for k in range(3)]
    images = [{'id': k, 'file_name': '%d.png' % k, 'width': 16, 'height': 12} for k in range(3)]
    (top / 'coco.json').write_text(json.dumps(
        {'images': images, 'annotations': annotations, 'categories': [{'id': 1, 'name': 'thing'}]}))
    for folder in ('voc/JPEGImages', 'voc/Annotations', 'yolo/images', 'yolo/labels', 'meta'):
        (top / folder).mkdir(parents=True)
    for k in range(3):
        shutil.copy(DATA / 'pairs' / 'images' / 'gray8.jpg', top / 'voc/JPEGImages' / ('%d.jpg' % k))
        (top / 'voc/Annotations' / ('%d.xml' % k)).write_text(
            '<annotation><filename>%d.jpg</filename><size><width>21</width><height>13</height></size><object><name>dog</name>'
            '<bndbox><xmin>1</xmin><ymin>2</ymin><xmax>11</xmax><ymax>12</ymax></bndbox></object></annotation>' % k)
        shutil.copy(top / 'flat' / ('%d.png' % k), top / 'yolo/images')
        (top / 'yolo/labels' / ('%d.txt' % k)).write_text('0 0.5 0.5 0.25 0.25\n')
        shutil.copy(top / 'flat' / ('%d.png' % k), top / 'meta')
    (top / 'yolo/data.yaml').write_text('train: images\nnc: 1\nnames: [thing]\n')
    (top / 'meta/metadata.csv').write_text('file_name,text\n' + ''.join('%d.png,number %d\n' % (k, k) for k in range(3)))
    shutil.copytree(DATA / 'pairs' / 'images', top / 'pairs/images')
    shutil.copytree(DATA / 'pairs' / 'masks', top / 'pairs/masks')


def looked_at(top):
    """Inputs that are recognised by their folders, for LOOKS."""
    def put(path, source):
        path.parent.mkdir(parents=True, exist_ok=True)
        (path.write_text if isinstance(source, str) else lambda s: shutil.copy(s, path))(source)
    xml = (top / 'voc/Annotations/0.xml').read_text()
    for k, split in enumerate(('train', 'train', 'val')):
        image, valid = top / 'flat' / ('%d.png' % k), split.replace('val', 'valid')
        put(top / 'splits' / split / ('pear' if k else 'apple') / ('%d.png' % k), image)
        for folder, text in (('yolo-splits/%%s/%s' % split, '0 0.5 0.5 0.25 0.25\n'), ('yolo-robo/%s/%%s' % valid, '1 0.5 0.5 0.5 0.5\n')):
            put(top / (folder % 'images') / ('%d.png' % k), image)
            put(top / (folder % 'labels') / ('%d.txt' % k), text)
        put(top / 'yolo-flat' / ('%d.png' % k), image)
        put(top / 'yolo-flat' / ('%d.txt' % k), '0 0.5 0.5 0.25 0.25\n')
        for folder in ('voc-flat', 'voc-splits/%s' % split):
            put(top / folder / ('%d.jpg' % k), top / 'voc/JPEGImages/0.jpg')
            put(top / folder / ('%d.xml' % k), xml.replace('0.jpg', '%d.jpg' % k))
        coco = json.loads((top / 'coco.json').read_text())
        for name in ('images', 'annotations'):
            coco[name] = [x for x in coco[name] if x['id'] in ((0, 1) if split == 'train' else (2,))]
        put(top / 'coco-robo' / valid / ('%d.png' % k), image)
        put(top / 'coco-robo' / valid / '_annotations.coco.json', json.dumps(coco))
        put(top / 'coco-found/images' / split / ('%d.png' % k), image)
        put(top / 'coco-found/annotations' / ('instances_%s.json' % split), json.dumps(coco))
        put(top / 'meta-splits' / split / ('%d.png' % k), image)
        with open(top / 'meta-splits' / split / 'metadata.jsonl', 'a') as out:
            out.write('{"file_name": "%d.png", "text": "number %d"}\n' % (k, k))
        put(top / 'csv-boxes' / split / ('%d.png' % k), image)
        with open(top / 'csv-boxes' / split / '_annotations.csv', 'a') as out:
            out.write(('' if out.tell() else 'filename,width,height,class,xmin,ymin,xmax,ymax\n') + '%d.png,16,12,thing,1,1,6,6\n' % k)
        for folder in ('csv-classes', 'createml', 'mediapipe/images', 'polygons/images'):
            put(top / folder / ('%d.png' % k), image)
        put(top / 'polygons/labels' / ('%d.txt' % k), '0 0.1 0.1 0.6 0.1 0.6 0.6 0.1 0.6\n')
    put(top / 'csv-classes/_classes.csv', 'filename, a, b\n' + ''.join('%d.png, 1, %d\n' % (k, k % 2) for k in range(3)))
    put(top / 'createml/_annotations.createml.json', json.dumps([
        {'image': '%d.png' % k, 'annotations': [{'label': 'thing', 'coordinates': {'x': 4, 'y': 4, 'width': 5, 'height': 5}}]} for k in range(3)]))
    sizeless = json.loads((top / 'coco.json').read_text())
    put(top / 'mediapipe/labels.json', json.dumps({**sizeless, 'images': [{'id': x['id'], 'file_name': x['file_name']} for x in sizeless['images']]}))
    put(top / 'polygons/data.yaml', 'nc: 1\nnames: [thing]\n')
    for name in ('yolo-splits/data.yaml', 'yolo-robo/data.yaml'):
        put(top / name, 'train: images/train\nval: images/val\nnc: 2\nnames: [thing, other]\n')
    put(top / 'yolo-flat/classes.txt', 'thing\n')
    for archive, form, folder in (('coco', 'tar', 'coco-found'), ('voc', 'tar', 'voc-flat'), ('yolo', 'zip', 'yolo-splits'), ('meta', 'gztar', 'meta')):
        shutil.make_archive(str(top / archive), form, top / folder)
    (top / 'links').mkdir()
    for name in ('apple', 'pear'):
        (top / 'links' / name).symlink_to('../classes/' + name)
    # What replaces an input: another number of rows, other kinds of values, other members
    put(top / 'other.csv', 'name,size,share\n' + ''.join('m%d,%d.5,x%d\n' % (k, k, k) for k in range(12)))
    put(top / 'other.jsonl', ''.join('{"name": %d, "size": "s%d"}\n' % (k, k) for k in range(12)))
    tar(top / 'other.tar', [('%s/%d.png' % (c, k), top / 'flat' / ('%d.png' % k)) for c in ('fig', 'pear') for k in range(3)])
    array = (DATA / 'arrays' / 'cube.npy').read_bytes()
    (top / 'other.npy').write_bytes(array[:-64] + bytes(b ^ 1 for b in array[-64:]))
    put(top / 'labels.txt', '0:apple\n1:pear\n')
    put(top / 'class-list', '0\n0\n1\n')
    for k, file in enumerate(sorted((DATA / 'audio').glob('*.wav'))[:3]):
        put(top / 'sounds' / 'ab'[k % 2] / file.name, file)
    with zipfile.ZipFile(top / 't.zip', 'w') as out:
        for name in ('apple/0.png', 'apple/1.png', 'pear/0.png'):
            out.write(top / 'classes' / name, name)
    with zipfile.ZipFile(top / 'other.zip', 'w') as out:
        for k in range(3):
            out.write(top / 'flat' / ('%d.png' % k), 'fig/%d.png' % k)
    for k in range(2):
        tar(top / ('shards-%d.tar' % k), [('%d.png' % k, top / 'flat' / ('%d.png' % k)), ('%d.txt' % k, top / '0.txt')])


def looked_at_records(top, run):
    for k, source in enumerate(('a', 'k', 'a')):
        (top / 'odd').mkdir(exist_ok=True)
        shutil.copy(top / (source + '.tfrecord'), top / 'odd' / ('x-%d.rec' % k))
    (top / 'odd' / 'note').write_text('no records')
    (top / 'names').write_text('in/a.tfrecord\nk.tfrecord\n')
    (top / 'indexed').mkdir()
    for name in ('a.tfrecord', 'k.tfrecord.gz'):
        shutil.copy(top / name, top / 'indexed')
        run('index -q indexed/' + name)


def lists(top):
    (top / 't.csv').write_text('name,size,share\n' + ''.join('n%d,%d,%g\n' % (k, k, k / 8) for k in range(9)))
    (top / 't.jsonl').write_text(''.join('{"name": "n%d", "size": %d, "parts": [1, 2.5]}\n' % (k, k) for k in range(9)))
    (top / 'embed.csv').write_text('path,label\n' + ''.join('flat/%d.png,%d\n' % (k, k) for k in range(3)))
    members = [('%s/%d.png' % (c, k), top / 'classes' / c / ('%d.png' % k)) for c in ('apple', 'pear') for k in (0, 1)]
    tar(top / 't.tar', members)
    tar(top / 't.tar.gz', members)
    (top / '0.txt').write_text('a text')
    tar(top / 'w.tar', [(n % k, top / f) for k in (0, 1) for n, f in (('%d.png', 'flat/1.png'), ('%d.txt', '0.txt'))])


def records(top, tfr):
    def run(line):
        subprocess.run([tfr] + line.split(), cwd=top, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    shutil.copy(DATA / 'images.tfrecord', top / 'a.tfrecord')
    shutil.copy(DATA / 'kinds.tfrecord', top / 'k.tfrecord')
    shutil.copy(DATA / 'kinds-gzip.tfrecord', top / 'k.tfrecord.gz')
    shutil.copy(DATA / 'kinds.tfevents', top / 'events')
    damaged = bytearray((DATA / 'payloads.tfrecord').read_bytes())
    damaged[5000] ^= 255
    (top / 'bad.tfrecord').write_bytes(damaged)
    (top / 'set').mkdir()
    run('cat -q a.tfrecord -o a.tfrecord.gz')
    run('cat -q a.tfrecord -o s@2.tfrecord')
    run('shard -q classes -o c@2.tfrecord')
    run('shard -q classes -o set/c@2.tfrecord')
    run('shard -q t.csv -o list@2.tfrecord')
    for name, line in (('schema.json', 'schema --emit json a.tfrecord'), ('schema.pbtxt', 'schema --emit pbtxt a.tfrecord'),
                       ('stats.json', 'stats --json a.tfrecord')):
        (top / name).write_bytes(subprocess.run([tfr] + line.split(), cwd=top, check=True, capture_output=True).stdout)
    # More than `shuffle-to-disk -m 8M` keeps in memory.
    large = b''.join(framed(example(v=bytes([k]) * 40000)) for k in range(16))
    (top / 'large.tfrecord').write_bytes(large * 18)
    looked_at_records(top, run)


def framed(payload):
    def masked(data):
        crc = crc32c(data)
        return struct.pack('<I', ((crc >> 15 | crc << 17) + 0xa282ead8) & 0xffffffff)
    length = struct.pack('<Q', len(payload))
    return length + masked(length) + payload + masked(payload)


def inputs(top, tfr):
    """Lays the inputs out in `top`."""
    top.mkdir()
    images(top)
    lists(top)
    looked_at(top)
    shutil.copytree(DATA / 'arrays', top / 'arrays')
    (top / 'audio').mkdir()
    for file in sorted((DATA / 'audio').glob('*.wav'))[:3]:
        shutil.copy(file, top / 'audio')
    records(top, tfr)
