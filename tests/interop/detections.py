"""Cases of tests/interop/run: annotations as tools export them, in folders and in archives.

Each data set is random, and its expected records are computed from its files by Python's csv and json, by the definitions of
the formats.  Every feature counts, also one too many.  Then the data set is packed in three ways, with its members in any
order, and the shards must have the same bytes.
"""
import csv
import hashlib
import io
import json
import pathlib
import random
import subprocess
import tarfile
import zipfile

import datasets
import numpy as np
from PIL import Image

NAMES = ['person', 'traffic light', 'größe', 'a, b', 'say "x"', "it's", '0', 'Person', 'zebra: 1']
SIDES = ['xmin', 'ymin', 'xmax', 'ymax']
# A tool's file of boxes: a row of layouts[] in lib/convert/annotations/box_lists.c.
CSV_LAYOUTS = {
    '_annotations.csv': {'image': 'filename', 'size': ('width', 'height'), 'class': 'class',
                         'box': ('xmin', 'ymin', 'xmax', 'ymax'), 'form': 'corners'},
}


# --- records

def examples(*paths):
    """The features of each record in shards, item k from shard k mod N, as lists."""
    import tensorflow as tf
    shards = []
    for path in paths:
        shards.append([])
        for record in tf.data.TFRecordDataset(str(path)):
            features = tf.train.Example.FromString(record.numpy()).features.feature
            shards[-1].append({key: list(getattr(value, value.WhichOneof('kind') or 'bytes_list').value)
                               for key, value in features.items()})
    return [shards[k % len(shards)][k // len(shards)] for k in range(sum(map(len, shards)))]


def image_features(path, name):
    data = path.read_bytes()
    image = Image.open(io.BytesIO(data))
    return {'image/encoded': [data], 'image/filename': [name.encode()], 'image/format': [image.format.lower().encode()],
            'image/height': [image.height], 'image/width': [image.width], 'image/channels': [len(image.getbands())]}


def floats(values):
    return [float(np.float32(v)) for v in values]


def object_features(boxes, labels):
    """Those of boxes (class, corners as fractions); no boxes, no features."""
    if not boxes:
        return {}
    found = {'image/object/bbox/' + side: floats(box[k] for _, box in boxes) for k, side in enumerate(SIDES)}
    return found | {'image/object/class/label': [labels[name] for name, _ in boxes],
                    'image/object/class/text': [name.encode() for name, _ in boxes]}


def numbered(names, base):
    """Labels of classes that have names only."""
    return {name: base + n for n, name in enumerate(sorted(set(names), key=str.encode))}


def clipped(box, width, height):
    """A box in pixels as fractions, where one pixel past an edge is forgiven; None: it is left out."""
    box = [0 if -1 <= v < 0 else size if size < v <= size + 1 else v for v, size in zip(box, (width, height) * 2)]
    inside = 0 <= box[0] < box[2] <= width and 0 <= box[1] < box[3] <= height
    return [v / size for v, size in zip(box, (width, height) * 2)] if inside else None


def compare(found, wanted):
    assert len(found) == len(wanted), '%d records, not %d' % (len(found), len(wanted))
    for record, want in zip(found, wanted):
        for key in record.keys() | want.keys():
            assert record.get(key) == want.get(key), (want['image/filename'], key, record.get(key), want.get(key))


# --- archives

def packed(folder, top, rng):
    """The data set as a tar, a compressed tar and a zip archive, its members in any order, also in a folder of their own."""
    outer = rng.choice(('', 'export/', './'))
    paths = sorted(top.rglob('*'))
    for suffix, mode in ('.tar', 'w'), ('.tar.gz', 'w:gz'):
        rng.shuffle(paths)
        path = folder / (top.name + suffix)
        with tarfile.open(path, mode, format=rng.choice((tarfile.GNU_FORMAT, tarfile.PAX_FORMAT))) as archive:
            for member in paths:
                if member.is_file() or rng.randrange(2):
                    archive.add(member, outer + str(member.relative_to(top)), recursive=False)
        yield path
    rng.shuffle(paths)
    path = folder / (top.name + '.zip')
    with zipfile.ZipFile(path, 'w', rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
        for member in paths:
            if member.is_file() or rng.randrange(2):
                archive.write(member, outer.removeprefix('./') + str(member.relative_to(top)))
    yield path


def convert(folder, tfr, top, sets, *options):
    """{SPLIT: records} of the data set, which archives of it give too; sets: {SPLIT: number of shards}, or a number."""
    splits = sets if isinstance(sets, dict) else {'all': sets}

    def run(source, to):
        to.mkdir()
        outputs = [word for split, n in splits.items() for word in
                   ('-o', '%s/%s@%d%s' % (to, split, n, '=%s/' % split if splits is sets else ''))]
        tfr('shard', '-q', '-j', 3, '--max-skipped', 100, source, *options, *outputs)
        return {path.name: path.read_bytes() for path in to.glob('*-of-*')}

    wanted = run(top, folder / 'from-folder')
    assert wanted
    for archive in packed(folder, top, random.Random(top.name)):
        found = run(archive, folder / ('from-' + archive.name))
        assert found.keys() == wanted.keys() and all(found[name] == wanted[name] for name in wanted), archive.name
    return {split: examples(*sorted((folder / 'from-folder').glob(split + '-*'))) for split in splits}


# --- random data sets

def draw_images(rng, top, count):
    """Images with sizes of their own, some in folders below; their paths below `top`."""
    names = []
    for n in range(count):
        name = '%s%s%03d.%s' % (rng.choice(('', '', 'deep/')), rng.choice(('a', 'b c', 'ü', "d'e", 'f,g')), n, rng.choice(('png', 'jpg')))
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        size = rng.randrange(1, 200), rng.randrange(1, 200)
        Image.new(rng.choice(('RGB', 'L')), size, rng.randrange(256)).save(top / name)
        names.append(name)
    return names


def draw_box(rng, width, height):
    """Corners in pixels: often inside, on an edge, a little or far outside, or without an area."""
    def side(size):
        a, b = sorted((rng.uniform(-.02, 1.02) * size, rng.uniform(-.02, 1.02) * size))
        return rng.choice(((a, b), (a, b), (round(a), round(b)), (0, size), (-1, size + 1), (-1.01, size), (a, a), (b, a), (0, size + 1.5)))
    (x0, x1), (y0, y1) = side(width), side(height)
    return [x0, y0, x1, y1]


def written(rng, value):
    return rng.choice(('%r', '%.3f', '%.17g', ' %r ', '%.6e')) % value


# --- CSV

def write_boxes(rng, top, file, layout, count):
    names = draw_images(rng, top, count)
    rows = []
    for name in names + ['gone.png', '../outside.png']:
        width, height = Image.open(top / name).size if (top / name).exists() and '..' not in name else (9, 9)
        width += rng.randrange(20) == 0   # the image is of another size
        for _ in range(rng.choice((0, 1, 1, 3, 12))):
            x0, y0, x1, y1 = draw_box(rng, width, height)
            numbers = {'corners': (x0, y0, x1, y1), 'size': (x0, y0, x1 - x0, y1 - y0),
                       'centre': ((x0 + x1) / 2, (y0 + y1) / 2, x1 - x0, y1 - y0)}[layout['form']]
            row = {layout['image']: name, layout['class']: rng.choice(NAMES), 'score': '.5'}
            row |= dict(zip(layout['size'] or (), (str(width), ' %d' % height)))
            rows.append(row | dict(zip(layout['box'], (written(rng, v) for v in numbers))))
    rng.shuffle(rows)
    columns = rng.sample(sorted(rows[0]), len(rows[0]))
    with open(top / file, 'w', newline='', encoding=rng.choice(('utf-8', 'utf-8-sig'))) as out:
        table = csv.DictWriter(out, columns, quoting=rng.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL)),
                               lineterminator=rng.choice(('\n', '\r\n')))
        table.writeheader()
        table.writerows(rows)
    return {row[layout['class']] for row in rows}


def read_boxes(top, file, layout):
    """[(name, size or None, [(class, corners)])] in the order in which rows name images."""
    images = {}
    with open(top / file, newline='', encoding='utf-8-sig') as table:
        for row in csv.DictReader(table):
            size = tuple(int(row[key]) for key in layout['size'] or ()) or None
            a, b, c, d = (float(row[key]) for key in layout['box'])
            box = {'corners': (a, b, c, d), 'size': (a, b, a + c, b + d),
                   'centre': (a - c / 2, b - d / 2, a - c / 2 + c, b - d / 2 + d)}[layout['form']]
            images.setdefault(row[layout['image']], (size, []))[1].append((row[layout['class']], box))
    return [(name, *rest) for name, rest in images.items()]


def boxes_wanted(top, images, labels):
    for name, size, boxes in images:
        path = top / name
        if '..' in name or not path.exists() or size not in (None, Image.open(path).size):
            continue
        width, height = Image.open(path).size
        kept = [(c, clipped(box, width, height)) for c, box in boxes]
        yield (image_features(path, name) | {'image/source_id': [name.encode()]} |
               object_features([(c, box) for c, box in kept if box], labels))


def csv_boxes(folder, tfr):
    for seed, (file, layout) in enumerate(CSV_LAYOUTS.items()):
        rng, part = random.Random(seed), folder / str(seed)
        top = part / 'set'
        names = set()
        for split in 'train', 'valid', 'test':
            names |= write_boxes(rng, top / split, file, layout, 40)
        base = rng.randrange(2)
        found = convert(part, tfr, top, {'train': 1, 'valid': 1}, '--label-base', base)
        for split, records in found.items():
            compare(records, list(boxes_wanted(top / split, read_boxes(top / split, file, layout), numbered(names, base))))


def csv_classes(folder, tfr):
    """Any number of classes, in the order of the columns; the columns of a split are its own."""
    rng, top, all_names = random.Random(3), folder / 'set', set()
    for split in 'train', 'test':
        names = draw_images(rng, top / split, 40)
        classes = rng.sample(NAMES, rng.randrange(3, len(NAMES)))
        all_names |= set(classes)
        with open(top / split / '_classes.csv', 'w', newline='', encoding='utf-8') as out:
            table = csv.writer(out)
            table.writerow(['filename'] + classes)
            for name in rng.sample(names, 35):
                table.writerow([name] + [rng.choice(('0', ' 0', ' 1 ', '1')) for _ in classes])
    found = convert(folder, tfr, top, {'train': 1, 'test': 1})
    labels = numbered(all_names, 0)
    for split, records in found.items():
        wanted = []
        with open(top / split / '_classes.csv', newline='', encoding='utf-8') as table:
            for row in csv.DictReader(table):
                name = row.pop('filename')
                has = [c for c, value in row.items() if int(value)]
                wanted.append(image_features(top / split / name, name) | {
                    'image/class/label': [labels[c] for c in has], 'image/class/text': [c.encode() for c in has]})
        compare(records, wanted)


# --- Create ML

def create_ml(folder, tfr):
    for seed in range(3):
        rng, top = random.Random(seed), folder / str(seed) / 'set'
        used = set()
        for split in 'train', 'test':
            image, annotations = rng.choice((('image', 'annotations'), ('imagefilename', 'annotation')))
            data = []
            for name in draw_images(rng, top / split, 40):
                size, boxes = Image.open(top / split / name).size, []
                for _ in range(rng.choice((0, 1, 1, 3, 12))):
                    x0, y0, x1, y1 = draw_box(rng, *size)
                    boxes.append({'label': rng.choice(NAMES), 'confidence': 1, 'coordinates': {
                        'width': x1 - x0, 'height': y1 - y0, 'y': (y0 + y1) / 2, 'x': (x0 + x1) / 2}})
                    used.add(boxes[-1]['label'])
                entry = [(image, name), (annotations, boxes), ('imageURL', None)]
                data.append(dict(rng.sample(entry, 3)))
            data.sort(key=lambda entry: not entry[annotations])   # those with boxes first, so that it begins like one
            file = rng.choice(('_annotations.createml.json', 'labels of mine.json'))
            (top / split / file).write_text(json.dumps(data, indent=rng.choice((None, 2)), ensure_ascii=rng.choice((False, True))))
        found = convert(folder / str(seed), tfr, top, {'train': 1, 'test': 1})
        for split, records in found.items():
            images = []
            for entry in json.loads(next((top / split).glob('*.json')).read_text()):
                boxes = []
                for a in entry.get('annotations', entry.get('annotation')):
                    x, y, w, h = (a['coordinates'][key] for key in ('x', 'y', 'width', 'height'))
                    boxes.append((a['label'], (x - w / 2, y - h / 2, x + w / 2, y + h / 2)))
                images.append((entry.get('image', entry.get('imagefilename')), None, boxes))
            compare(records, list(boxes_wanted(top / split, images, numbered(used, 0))))


# --- COCO in other layouts

def coco_wanted(top, data, captions=False):
    """Records of COCO's lists in the order of its images, without keypoints and shapes; top: the folder of the images."""
    names = {c['id']: c['name'].encode() for c in data.get('categories', ())}
    points = any('keypoints' in c for c in data.get('categories', ()))
    for image in data['images']:
        want = image_features(top / image['file_name'], image['file_name']) | {'image/source_id': [b'%d' % image['id']]}
        width, height = want['image/width'][0], want['image/height'][0]
        lists = {'image/object/' + key: [] for key in ['bbox/' + side for side in SIDES] +
                 ['class/label', 'class/text', 'area', 'is_crowd']}
        if points:
            lists |= {'image/object/keypoint/' + key: [] for key in ('x', 'y', 'visibility', 'num', 'text')}
        for a in data['annotations']:
            if captions or a['image_id'] != image['id']:
                continue
            x, y, w, h = a['bbox']
            if not (w > 0 and h > 0 and x >= 0 and y >= 0 and x + w <= width and y + h <= height):
                continue
            for key, value in zip(lists, (x / width, y / height, (x + w) / width, (y + h) / height)):
                lists[key] += floats([value])
            lists['image/object/class/label'].append(a['category_id'])
            lists['image/object/class/text'].append(names[a['category_id']])
            lists['image/object/area'] += floats([a.get('area', w * h)])
            lists['image/object/is_crowd'].append(a.get('iscrowd', 0))
            if points:
                of = next(c['keypoints'] for c in data['categories'] if c['id'] == a['category_id'])
                v = a.get('keypoints') or [0] * 3 * len(of)
                lists['image/object/keypoint/x'] += floats(x / width for x in v[::3])
                lists['image/object/keypoint/y'] += floats(y / height for y in v[1::3])
                lists['image/object/keypoint/visibility'] += v[2::3]
                lists['image/object/keypoint/text'] += [name.encode() for name in of]
                lists['image/object/keypoint/num'].append(a.get('num_keypoints', sum(k > 0 for k in v[2::3])))
        if lists['image/object/class/label']:
            want |= lists
        texts = [a['caption'].encode() for a in data['annotations'] if a['image_id'] == image['id'] and captions]
        yield want | ({'image/caption': texts} if texts else {})


def draw_coco(rng, top, count, kind):
    """COCO's lists for new images in `top`."""
    data = {'images': [], 'annotations': [], 'categories': [{'id': n, 'name': name} for n, name in
                                                            zip(rng.sample(range(1, 91), len(NAMES)), NAMES)]}
    if kind == 'person_keypoints':
        data['categories'] = [{'id': 1, 'name': 'person', 'keypoints': ['nose', 'eye', 'größe'], 'skeleton': [[1, 2]]}]
    for name in draw_images(rng, top, count):
        width, height = Image.open(top / name).size
        image = {'id': rng.randrange(10 ** 9), 'file_name': name}
        data['images'].append(image | ({'width': width, 'height': height} if kind != 'mediapipe' else {}))
        for _ in range(rng.choice((0, 1, 1, 3, 12))):
            a = {'id': len(data['annotations']), 'image_id': image['id']}
            if kind == 'captions':
                data['annotations'].append(a | {'caption': 'a %s, "%s"' % (rng.choice(NAMES), len(data['annotations']))})
                continue
            x0, y0, x1, y1 = draw_box(rng, width, height)
            a |= {'bbox': [x0, y0, x1 - x0, y1 - y0], 'category_id': rng.choice(data['categories'])['id']}
            if kind != 'mediapipe':
                a |= {'area': rng.uniform(0, 1e4), 'iscrowd': rng.randrange(2), 'segmentation': [[1, 1, 5, 1, 5, 5.5]]}
            if kind == 'person_keypoints' and rng.randrange(4):
                a['keypoints'] = [v for _ in range(3) for v in (rng.randrange(width), rng.uniform(0, height), rng.randrange(3))]
                if rng.randrange(2):
                    a['num_keypoints'] = sum(v > 0 for v in a['keypoints'][2::3])
            data['annotations'].append(a)
    rng.shuffle(data['annotations'])
    if kind == 'captions':
        del data['categories']
    return data


def coco_kinds(folder, tfr):
    """person_keypoints_NAME, stuff_NAME and captions_NAME in place of instances_NAME."""
    for seed, kind in enumerate(('person_keypoints', 'stuff', 'captions')):
        rng, top = random.Random(seed), folder / kind / 'set'
        images = rng.choice(('%s', 'images/%s'))
        (top / 'annotations').mkdir(parents=True)
        for split in 'train2017', 'val2017':
            data = draw_coco(rng, top / (images % split), 30, kind)
            (top / 'annotations' / ('%s_%s.json' % (kind, split))).write_text(json.dumps(data))
        for split, records in convert(folder / kind, tfr, top, {'train2017': 1, 'val2017': 1}).items():
            data = json.loads((top / 'annotations' / ('%s_%s.json' % (kind, split))).read_text())
            compare(records, list(coco_wanted(top / (images % split), data, kind == 'captions')))


def media_pipe(folder, tfr):
    """labels.json beside images/, without the sizes of images."""
    rng, top = random.Random(5), folder / 'set'
    for split in 'train', 'validation':
        data = draw_coco(rng, top / split / 'images', 40, 'mediapipe')
        data['categories'] = [{'id': 0, 'name': 'background'}] + [{'id': n + 1, 'name': name} for n, name in enumerate(NAMES)]
        for a in data['annotations']:
            a['category_id'] = rng.randrange(1, 1 + len(NAMES))
        (top / split / 'labels.json').write_text(json.dumps(data))
    for split, records in convert(folder, tfr, top, {'train': 1, 'validation': 1}).items():
        data = json.loads((top / split / 'labels.json').read_text())
        compare(records, list(coco_wanted(top / split / 'images', data)))


# --- polygons of YOLO

def yolo_lines(rng, oriented):
    for _ in range(rng.choice((0, 1, 1, 3, 12))):
        kind = 'box' if rng.randrange(6) == 0 else 'corners' if oriented else 'segment'
        if kind == 'box':
            numbers = [rng.uniform(.2, .8), rng.uniform(.2, .8), rng.uniform(.01, .4), rng.uniform(.01, .4)]
        elif kind == 'corners':   # a box turned by any angle, which extends past the edges by 0.3 % at most
            (x, y), (w, h), angle = rng.choices((.28, .5, .72), k=2), (rng.uniform(.01, .2), rng.uniform(.01, .2)), rng.uniform(0, 7)
            turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
            numbers = ((np.array([[-w, -h], [w, -h], [w, h], [-w, h]]) @ turn) + [x, y]).ravel().tolist()
        else:   # corners up to 1 % past the edges
            numbers = [rng.uniform(-.0099, 1.0099) for _ in range(2 * rng.randrange(3, 40))]
        yield '%d %s' % (rng.randrange(len(NAMES)), ' '.join(rng.choice(('%.6f', '%r', '%.3g')) % v for v in numbers))


def yolo_wanted(path, name, text, masks):
    """The features of an image; its masks are appended to `masks` as [width, height, polygon or None]."""
    want = image_features(path, name) | {'image/source_id': [name.encode()]}
    width, height = want['image/width'][0], want['image/height'][0]
    boxes, corners, shapes = [], [], []
    for line in text.splitlines():
        number, *numbers = line.split()
        v = np.array([float(word) for word in numbers])
        if len(v) == 4:
            low, high, polygon = v[:2] - v[2:] / 2, v[:2] + v[2:] / 2, np.zeros((0, 2), np.float32)
        else:
            v = v.reshape(-1, 2)
            low, high, polygon = v.min(0), v.max(0), np.clip(v, 0, 1).astype(np.float32)
        box = np.clip(np.concatenate([low, high]), 0, 1).astype(np.float32)
        if not (box[0] < box[2] and box[1] < box[3]):
            continue
        boxes.append((NAMES[int(number)], box))
        corners.append(polygon)
        shapes.append([width, height, (polygon.astype(float) * [width, height]).ravel().tolist() or None])
    masks.append(shapes)
    want |= object_features(boxes, {name: n for n, name in enumerate(NAMES)})
    if boxes:
        every = np.concatenate(corners)
        want |= {'image/object/polygon/x': every[:, 0].tolist(), 'image/object/polygon/y': every[:, 1].tolist(),
                 'image/object/polygon/num': [len(c) for c in corners]}
    return want


def drawn(coco, shapes):
    """SHA-1 of the mask of each [width, height, polygon or None]."""
    lists = [shape for shape in shapes if shape[2]]
    peer = pathlib.Path(__file__).with_name('peer_polygons.py')
    lines = iter(subprocess.run([coco, peer], input=json.dumps(lists), check=True, capture_output=True, text=True).stdout.split())
    found = [next(lines) if polygon else hashlib.sha1(bytes(width * height)).hexdigest() for width, height, polygon in shapes]
    assert next(lines, None) is None
    return found


def yolo_polygons(folder, tfr, coco):
    """Oriented boxes and segments: corners, boxes around them, and masks as pycocotools draws the same polygons."""
    for seed in range(2):
        rng, top = random.Random(seed), folder / str(seed) / 'set'
        (top / 'labels').mkdir(parents=True)
        names = draw_images(rng, top / 'images', 60)
        for name in names:
            (top / 'labels' / name).parent.mkdir(exist_ok=True)
            (top / 'labels' / name).with_suffix('.txt').write_text(''.join(line + '\n' for line in yolo_lines(rng, seed == 0)))
        (top / 'data.yaml').write_text('train: images\nnames: %s\n' % json.dumps(NAMES))
        found = convert(folder / str(seed), tfr, top, 1, '--draw-masks')['all']
        masks, wanted = [], {}
        for name in names:
            text = (top / 'labels' / name).with_suffix('.txt').read_text()
            wanted[name.encode()] = yolo_wanted(top / 'images' / name, name, text, masks)
        sums = iter(drawn(coco, sum(masks, [])))
        drawings = {name.encode(): [next(sums) for _ in shapes] for name, shapes in zip(names, masks)}
        for record in found:   # shuffled
            name, = record['image/filename']
            pixels = [np.asarray(Image.open(io.BytesIO(mask))) for mask in record.pop('image/object/mask', [])]
            assert all(p.shape == (record['image/height'][0], record['image/width'][0]) for p in pixels)
            assert [hashlib.sha1(p.tobytes()).hexdigest() for p in pixels] == drawings.pop(name), name
            compare([record], [wanted[name]])
        assert not drawings


# --- the other kinds, from archives

def packed_layout(folder, tfr, layout):
    """A layout of datasets.py gives the same shards from archives; that those of the folder are right is tested there."""
    splits = datasets.LAYOUTS[layout](folder / 'set')
    convert(folder, tfr, folder / 'set', {split: 2 for split in splits})


def cases(tfr, coco, skip):
    """(name, function of a folder) of all of them.  `coco` is the python that has pycocotools, or None: `skip` is raised."""
    def polygons(folder):
        if not coco:
            raise skip('no pycocotools here')
        yolo_polygons(folder, tfr, coco)

    layouts = [layout for layout in datasets.LAYOUTS if layout.split('_')[0] in ('yolo', 'voc', 'coco', 'metadata')]
    return ([(f.__name__.replace('_', '-'), lambda folder, f=f: f(folder, tfr))
             for f in (csv_boxes, csv_classes, create_ml, coco_kinds, media_pipe)] + [('yolo-polygons', polygons)] +
            [('packed ' + layout.replace('_', '-'), lambda folder, layout=layout: packed_layout(folder, tfr, layout)) for layout in layouts])
