"""Cases of tests/interop/run: images with what belongs to them, as Pillow, TensorFlow and pycocotools see it."""
import hashlib
import io
import json
import pathlib
import random
import subprocess

import numpy as np
from PIL import Image

PAIRS = pathlib.Path(__file__).resolve().parent.parent / 'data' / 'pairs'


def decode(mask):
    """As a reader of DeepLab's sets does."""
    import tensorflow as tf
    return tf.io.decode_png(mask, channels=1)[..., 0].numpy()


def parsed(paths, features):
    """The records of a set, item k from shard k mod N, by tf.io.parse_single_example."""
    import tensorflow as tf
    shards = [[tf.io.parse_single_example(record, features) for record in tf.data.TFRecordDataset(str(path))] for path in paths]
    return [shards[k % len(shards)][k // len(shards)] for k in range(sum(map(len, shards)))]


def deeplab():
    import tensorflow as tf
    texts = ['image/encoded', 'image/filename', 'image/format', 'image/segmentation/class/encoded',
             'image/segmentation/class/format']
    numbers = ['image/height', 'image/width', 'image/channels']
    return {name: tf.io.FixedLenFeature([], tf.string) for name in texts} | {
        name: tf.io.FixedLenFeature([], tf.int64) for name in numbers}


def golden_pairs(folder, tfr):
    """What TensorFlow decodes is what Pillow read of the file, for every kind of mask."""
    tfr('shard', '-q', PAIRS / 'images', '--mask', PAIRS / 'masks', '-o', folder / 'set@1')
    seen = 0
    for record in parsed(sorted(folder.glob('set-*')), deeplab()):
        stem = pathlib.Path(record['image/filename'].numpy().decode()).stem
        shape = record['image/height'].numpy(), record['image/width'].numpy()
        numbers = decode(record['image/segmentation/class/encoded'].numpy())
        assert numbers.shape == shape and record['image/segmentation/class/format'] == b'png'
        assert record['image/encoded'].numpy() == (PAIRS / 'images' / (stem + '.jpg')).read_bytes()
        if stem == 'gray1':   # one bit of gray is black and white to everybody
            assert (numbers == np.asarray(Image.open(PAIRS / 'masks/gray1.png')).astype(np.uint8) * 255).all()
        else:
            assert (numbers == np.fromfile(PAIRS / (stem + '.u8'), np.uint8).reshape(shape)).all(), stem
            seen += 1
    assert seen == len(list(PAIRS.glob('*.u8')))


def our_pairs(folder, tfr):
    """600 pairs of random masks into 6 shards of 100."""
    rng = random.Random(21)
    (folder / 'images').mkdir()
    (folder / 'masks').mkdir()
    wanted = []
    for n in range(600):
        width, height, bits = rng.randrange(1, 40), rng.randrange(1, 40), rng.choice((1, 2, 4, 8))
        numbers = np.array([[rng.randrange(2 ** bits) for _ in range(width)] for _ in range(height)], np.uint8)
        mask = Image.fromarray(numbers, 'P')
        mask.putpalette(rng.randbytes(3 * 2 ** bits))
        mask.save(folder / 'masks' / ('%03d.png' % n), bits=bits)
        data = io.BytesIO()
        Image.new(rng.choice(('L', 'RGB')), (width, height), rng.randrange(256)).save(data, rng.choice(('PNG', 'JPEG')))
        (folder / 'images' / ('%03d.jpg' % n)).write_bytes(data.getvalue())
        wanted.append(numbers)
    tfr('shard', '-q', '--no-shuffle', folder / 'images', '--mask', folder / 'masks', '-o',
        folder / 'set@6.tfrecord')
    shards = sorted(folder.glob('set-*'))
    assert [tfr('count', path) for path in shards] == [b'100\n'] * 6
    for n, record in enumerate(parsed(shards, deeplab())):
        assert record['image/filename'] == b'%03d.jpg' % n
        assert (decode(record['image/segmentation/class/encoded'].numpy()) == wanted[n]).all(), n


def coco_features():
    import tensorflow as tf
    texts = ['image/encoded', 'image/filename', 'image/format', 'image/source_id']
    return {name: tf.io.FixedLenFeature([], tf.string) for name in texts} | {
        name: tf.io.FixedLenFeature([], tf.int64) for name in ('image/height', 'image/width', 'image/channels')} | {
        'image/object/' + name: tf.io.VarLenFeature(tf.float32)
        for name in ('area', 'bbox/xmin', 'bbox/xmax', 'bbox/ymin', 'bbox/ymax')} | {
        'image/object/' + name: tf.io.VarLenFeature(tf.int64) for name in ('class/label', 'is_crowd')} | {
        'image/object/' + name: tf.io.VarLenFeature(tf.string) for name in ('class/text', 'mask')}


def values(record, name):
    return list(record['image/object/' + name].values.numpy())


def python_lists(annotations, names, image):
    """The features of an image's annotations, computed as the scripts of tensorflow/models compute them."""
    out = {name: [] for name in ('bbox/xmin', 'bbox/xmax', 'bbox/ymin', 'bbox/ymax', 'area', 'is_crowd', 'class/label',
                                 'class/text')}
    for a in annotations:
        x, y, width, height = a['bbox']
        if width <= 0 or height <= 0 or x + width > image['width'] or y + height > image['height']:
            continue
        out['bbox/xmin'].append(float(x) / image['width'])
        out['bbox/xmax'].append(float(x + width) / image['width'])
        out['bbox/ymin'].append(float(y) / image['height'])
        out['bbox/ymax'].append(float(y + height) / image['height'])
        out['area'].append(a['area'])
        out['is_crowd'].append(a['iscrowd'])
        out['class/label'].append(a['category_id'])
        out['class/text'].append(names[a['category_id']].encode())
    return out


def random_coco(rng, folder, count):
    """Images and instances.json below `folder`, with what real files have: gaps in the numbers, any order, other members."""
    (folder / 'images/deep').mkdir(parents=True)
    categories = [{'id': n, 'name': 'thing %d "\u0142"' % n, 'supercategory': 'x'} for n in rng.sample(range(1, 91), 20)]
    images, annotations = [], []
    for n in rng.sample(range(1, 10 ** 6), count):
        width, height, name = rng.randrange(1, 500), rng.randrange(1, 500), '%s%d.jpg' % (rng.choice(('', 'deep/')), n)
        Image.new('RGB', (width, height), (n % 256, 7, 9)).save(folder / 'images' / name)
        images.append({'license': 1, 'file_name': name, 'height': height, 'width': width, 'id': n})
        for _ in range(rng.choice((0, 1, 1, 7, 30))):
            x, y = rng.uniform(0, width), rng.uniform(0, height)
            box = [x, y, rng.uniform(-.01, 1) * (width - x) * 1.05, rng.uniform(0, 1) * (height - y)]
            if rng.randrange(2):
                box = [round(v, rng.choice((0, 1, 2))) for v in box]
            annotations.append({'segmentation': [[1, 2, 3.5, 4, 5, 6]], 'area': rng.choice((rng.uniform(0, 1e5), 17)),
                                'iscrowd': rng.randrange(2), 'image_id': n, 'bbox': box,
                                'category_id': rng.choice(categories)['id'], 'id': rng.randrange(10 ** 12)})
    rng.shuffle(annotations)
    members = [('info', {'a': ['}', '\\"', []]}), ('images', images), ('annotations', annotations), ('categories', categories),
               ('licenses', [1, None])]
    rng.shuffle(members)
    (folder / 'instances.json').write_text(json.dumps(dict(members), indent=rng.choice((None, 1)),
                                                      ensure_ascii=rng.choice((False, True))))


def coco_boxes(folder, tfr):
    """Every feature as Python's json and floats have it, for the same file."""
    for seed in range(4):
        part = folder / str(seed)
        part.mkdir()
        random_coco(random.Random(seed), part, 60)
        data = json.loads((part / 'instances.json').read_text())
        names = {c['id']: c['name'] for c in data['categories']}
        of = {}
        for a in data['annotations']:
            of.setdefault(a['image_id'], []).append(a)
        tfr('shard', '-q', '--from', 'coco', '--annotations', part / 'instances.json', part / 'images',
            '-o', part / 'set@3')
        records = parsed(sorted(part.glob('set-*')), coco_features())
        assert len(records) == len(data['images'])
        for record, image in zip(records, data['images']):
            assert record['image/filename'] == image['file_name'].encode() and record['image/source_id'] == b'%d' % image['id']
            assert record['image/encoded'].numpy() == (part / 'images' / image['file_name']).read_bytes()
            for name, wanted in python_lists(of.get(image['id'], []), names, image).items():
                got = values(record, name)
                if isinstance(wanted and wanted[0], float) or name == 'area':
                    wanted = list(np.array(wanted, np.float32))
                assert got == wanted, (image, name, got, wanted)


def coco_more(folder, tfr):
    """Keypoints, captions and panoptic masks as tensorflow/models' scripts make them, by NumPy."""
    import tensorflow as tf
    rng = np.random.default_rng(23)
    (folder / 'images').mkdir()
    (folder / 'panoptic').mkdir()
    names = ['k%d' % n for n in range(17)]
    things = {int(c): int(rng.integers(0, 2)) for c in rng.choice(np.arange(1, 201), 20, replace=False)}
    images, people, captions, panoptic, wanted = [], [], [], [], {}
    for n in range(40):
        width, height = int(rng.integers(5, 60)), int(rng.integers(5, 60))
        image = {'id': 1000 - n, 'file_name': '%d.png' % n, 'width': width, 'height': height}
        images.append(image)
        Image.fromarray(rng.integers(0, 256, (height, width), dtype=np.uint8)).save(folder / 'images' / image['file_name'])
        want = wanted[image['file_name']] = {k: [] for k in ('x', 'y', 'visibility', 'num', 'text')} | {'captions': []}
        for _ in range(int(rng.integers(0, 4))):
            a = {'image_id': image['id'], 'category_id': 1, 'bbox': [0, 0, width, height], 'area': 1, 'iscrowd': 0}
            points = [[float(rng.uniform(0, width)), int(rng.integers(0, height)), int(rng.integers(0, 3))] for _ in names]
            if rng.integers(0, 4):
                a |= {'keypoints': sum(points, []), 'num_keypoints': sum(p[2] > 0 for p in points)}
            else:
                points = [[0, 0, 0] for _ in names]
            people.append(a)
            want['x'] += [np.float32(p[0] / width) for p in points]
            want['y'] += [np.float32(p[1] / height) for p in points]
            want['visibility'] += [p[2] for p in points]
            want['num'].append(a.get('num_keypoints', 0))
            want['text'] += [name.encode() for name in names]
        for k in range(int(rng.integers(0, 3))):
            captions.append({'image_id': image['id'], 'id': k, 'caption': 'caption %d of %d, %s' % (k, n, chr(0x100 + n))})
            want['captions'].append(captions[-1]['caption'].encode())
        ids = rng.choice(2 ** 24, int(rng.integers(1, 9)), replace=False)
        segments = [{'id': int(i), 'category_id': int(rng.choice(list(things))), 'iscrowd': 0} for i in ids[1:]]
        painted = ids[rng.integers(0, len(ids), (height, width))]
        Image.fromarray(np.stack([painted & 255, painted >> 8 & 255, painted >> 16], -1).astype(np.uint8)).save(
            folder / 'panoptic' / image['file_name'])
        panoptic.append({'image_id': image['id'], 'file_name': image['file_name'], 'segments_info': segments})
        want['category_mask'], want['instance_mask'] = np.zeros((2, height, width), np.uint8)
        for k, segment in enumerate(segments):
            want['category_mask'][painted == segment['id']] = segment['category_id']
            want['instance_mask'][painted == segment['id']] = k + 1 if things[segment['category_id']] else 0
    kinds = [{'id': c, 'name': str(c), 'isthing': t} for c, t in things.items()]
    for name, annotations, categories in (('people', people, [{'id': 1, 'name': 'person', 'keypoints': names}]),
                                          ('captions', captions, None), ('panoptic', panoptic, kinds)):
        some = [images[k] for k in rng.permutation(len(images))] if name != 'people' else images
        (folder / (name + '.json')).write_text(json.dumps(
            {'images': some, 'annotations': annotations} | ({'categories': categories} if categories else {})))
    tfr('shard', '-q', '-j', 3, '--annotations', folder / 'people.json', '--captions', folder / 'captions.json', '--panoptic',
        folder / 'panoptic.json', folder / 'images', '-o', folder / 'set@2')
    spec = {'image/object/keypoint/' + k: tf.io.VarLenFeature(t) for k, t in (
        ('x', tf.float32), ('y', tf.float32), ('visibility', tf.int64), ('num', tf.int64), ('text', tf.string))}
    spec |= {'image/caption': tf.io.VarLenFeature(tf.string), 'image/filename': tf.io.FixedLenFeature([], tf.string)}
    spec |= {'image/panoptic/' + k: tf.io.FixedLenFeature([], tf.string) for k in ('category_mask', 'instance_mask')}
    records = parsed(sorted(folder.glob('set-*')), spec)
    assert [r['image/filename'].numpy().decode() for r in records] == [i['file_name'] for i in images]
    for record in records:
        want = wanted[record['image/filename'].numpy().decode()]
        for k in 'x', 'y', 'visibility', 'num', 'text':
            assert record['image/object/keypoint/' + k].values.numpy().tolist() == np.array(want[k]).tolist(), k
        assert record['image/caption'].values.numpy().tolist() == want['captions']
        for k in 'category_mask', 'instance_mask':
            assert (decode(record['image/panoptic/' + k].numpy()) == want[k]).all(), k


def voc_boxes(folder, tfr):
    """Every feature as create_pascal_tf_record makes it, by Python's ElementTree and floats, for the same files."""
    import tensorflow as tf
    import xml.etree.ElementTree as xml
    rng = random.Random(24)
    for name in 'Annotations', 'JPEGImages', 'ImageSets/Main':
        (folder / name).mkdir(parents=True)
    names = ['aeroplane', 'dining table', 'größe', 'tv&monitor', '人']
    (folder / 'labels').write_text(''.join('%d:%s\n' % (k + 1, name) for k, name in enumerate(names)))
    for n in range(50):
        width, height = rng.randrange(8, 70), rng.randrange(8, 70)
        Image.new('RGB', (width, height), (n, 5, 9)).save(folder / 'JPEGImages' / ('%02d.jpg' % n))
        top = xml.Element('annotation')
        xml.SubElement(top, 'filename').text = '%02d.jpg' % n
        size = xml.SubElement(top, 'size')
        xml.SubElement(size, 'width').text, xml.SubElement(size, 'height').text = str(width), str(height)
        for _ in range(rng.randrange(5)):
            thing = xml.SubElement(top, 'object')
            x, y = rng.randrange(width - 2), rng.randrange(height - 2)
            for key, value in (('name', rng.choice(names)), ('pose', rng.choice(['Left', 'Frontal', 'Unspecified'])),
                               ('truncated', rng.randrange(2)), ('difficult', rng.randrange(2))):
                xml.SubElement(thing, key).text = str(value)
            box = xml.SubElement(thing, 'bndbox')
            for key, value in (('xmin', x), ('ymin', y), ('xmax', x + 1 + rng.random()), ('ymax', rng.randrange(y + 1, height + 1))):
                xml.SubElement(box, key).text = repr(value)
        encoding = rng.choice(['utf-8', 'utf-16'])
        xml.ElementTree(top).write(folder / 'Annotations' / ('%02d.xml' % n), encoding=encoding, xml_declaration=True)
    order = rng.sample(range(50), 30)
    (folder / 'ImageSets/Main/val.txt').write_text(''.join('%02d\n' % n for n in order))
    tfr('shard', '-q', '-j', 3, folder, '--image-set', 'val', '--labels', folder / 'labels', '-o', folder / 'set@2')
    spec = {'image/source_id': tf.io.FixedLenFeature([], tf.string), 'image/filename': tf.io.FixedLenFeature([], tf.string)}
    keys = {'bbox/xmin': tf.float32, 'bbox/ymin': tf.float32, 'bbox/xmax': tf.float32, 'bbox/ymax': tf.float32,
            'class/text': tf.string, 'class/label': tf.int64, 'difficult': tf.int64, 'truncated': tf.int64, 'view': tf.string}
    spec |= {'image/object/' + key: tf.io.VarLenFeature(kind) for key, kind in keys.items()}
    records = parsed(sorted(folder.glob('set-*')), spec)
    assert len(records) == 30
    for n, record in zip(order, records):
        data = xml.parse(folder / 'Annotations' / ('%02d.xml' % n)).getroot()
        assert record['image/source_id'] == record['image/filename'] == data.find('filename').text.encode()
        width, height = int(data.find('size/width').text), int(data.find('size/height').text)
        things = data.findall('object')
        wanted = {'class/text': [t.find('name').text.encode() for t in things],
                  'class/label': [names.index(t.find('name').text) + 1 for t in things],
                  'view': [t.find('pose').text.encode() for t in things],
                  'difficult': [int(t.find('difficult').text) for t in things],
                  'truncated': [int(t.find('truncated').text) for t in things]}
        for side, size in ('xmin', width), ('ymin', height), ('xmax', width), ('ymax', height):
            wanted['bbox/' + side] = [np.float32(float(t.find('bndbox/' + side).text) / size) for t in things]
        for key, want in wanted.items():
            assert record['image/object/' + key].values.numpy().tolist() == np.array(want).tolist(), (n, key)


def xyxy(rows):
    """Boxes of YOLO as corners in the image, by NumPy: centre less and plus half the size, clipped, those without an area left out."""
    centre, size = rows[:, :2], rows[:, 2:]
    corners = np.clip(np.concatenate([centre - size / 2, centre + size / 2], 1), 0, 1).astype(np.float32)
    return (corners[:, 2] > corners[:, 0]) & (corners[:, 3] > corners[:, 1]), corners


def yolo_text(rng, names):
    """Labels of an image and what a reader should make of them: (class, corners) each."""
    lines, wanted = [], []
    for _ in range(rng.choice((0, 0, 1, 2, 5, 40))):
        number = rng.randrange(len(names))
        if rng.randrange(4):
            box = [rng.uniform(0, 1), rng.uniform(0, 1), rng.uniform(0, 1) ** 3, rng.choice((0, rng.uniform(0, 1), 1e-3))]
            text = [rng.choice(('%.6f', '%r', '%.17g', '%.4e')) % v for v in box]
            kept, corners = xyxy(np.array([[float(t) for t in text]]))
        else:
            points = [rng.uniform(0, 1) for _ in range(2 * rng.randrange(3, 30))]
            text = ['%.6f' % v for v in points]
            xy = np.array([float(t) for t in text]).reshape(-1, 2)
            corners = np.concatenate([xy.min(0), xy.max(0)])[None].astype(np.float32)
            kept = (corners[:, 2] > corners[:, 0]) & (corners[:, 3] > corners[:, 1])
        lines.append(rng.choice((' ', '\t', '  ')).join(['%d' % number] + text) + rng.choice(('', ' ')))
        if kept[0]:
            wanted.append((number, corners[0].tolist()))
    return rng.choice(('\n', '\r\n')).join(lines), wanted


def yolo_boxes(folder, tfr):
    """Splits of YOLO on either level, their boxes as NumPy computes them; images without labels are kept."""
    import tensorflow as tf
    names = ['person', 'traffic light', 'größe', 'a: b', '#5', "it's"]
    for seed, layout in enumerate(('%s/images', 'images/%s')):
        rng, top, wanted = random.Random(seed), folder / str(seed), {}
        for split in 'train', 'val':
            images = top / (layout % split)
            labels = top / (layout.replace('images', 'labels') % split)
            images.mkdir(parents=True)
            labels.mkdir(parents=True)
            for n in range(40):
                name = '%s%02d' % (split, n)
                Image.new('RGB', (rng.randrange(1, 90), rng.randrange(1, 90)), (n, 5, 9)).save(images / (name + '.jpg'))
                text, boxes = yolo_text(rng, names)
                if text or rng.randrange(2):
                    (labels / (name + '.txt')).write_text(text, newline='')
                wanted[name + '.jpg'] = boxes
        form = json.dumps(names) if seed else json.dumps(dict(enumerate(names)), ensure_ascii=False).replace('"0"', '0')
        (top / 'data.yaml').write_text('train: ../train/images\nval: %s\nnames: %s\n' % (layout % 'val', form))
        tfr('shard', '-q', '-j', 3, top, '-o', str(top / 'train@2') + '=train/', '-o', str(top / 'val@1') + '=val/', '--label-base', 1)
        spec = {name: tf.io.FixedLenFeature([], tf.string) for name in ('image/filename', 'image/encoded')}
        spec |= {'image/object/bbox/' + side: tf.io.VarLenFeature(tf.float32) for side in ('xmin', 'ymin', 'xmax', 'ymax')}
        spec |= {'image/object/class/label': tf.io.VarLenFeature(tf.int64), 'image/object/class/text': tf.io.VarLenFeature(tf.string)}
        for split in 'train', 'val':
            records = parsed(sorted(top.glob(split + '-*')), spec)
            assert len(records) == 40
            for record in records:
                name = record['image/filename'].numpy().decode()
                assert name.startswith(split)
                assert record['image/encoded'].numpy() == (top / (layout % split) / name).read_bytes()
                boxes = wanted.pop(name)
                for k, side in enumerate(('xmin', 'ymin', 'xmax', 'ymax')):
                    assert values(record, 'bbox/' + side) == [corners[k] for _, corners in boxes], (name, side)
                assert values(record, 'class/label') == [number + 1 for number, _ in boxes], name
                assert values(record, 'class/text') == [names[number].encode() for number, _ in boxes], name
        assert not wanted


def metadata_tables(folder, tfr):
    """Columns and objects of metadata.jsonl as Python's json has them, over two splits with one numbering."""
    import tensorflow as tf
    rng, wanted, names = random.Random(7), {}, ['zebra', 'ant', 'größe']
    for split in 'train', 'test':
        (folder / split / 'deep').mkdir(parents=True)
        rows = []
        for n in range(30):
            width, height = rng.randrange(2, 90), rng.randrange(2, 90)
            name = '%s%s%02d.png' % (rng.choice(('', 'deep/')), split, n)
            Image.new('RGB', (width, height), (n, 5, 9)).save(folder / split / name)
            row = {'file_name': name, 'text': 'a "b" %d' % n, 'score': rng.choice((n, n / 4) if split == 'test' else (n,))}
            boxes = [[rng.uniform(0, width / 2), rng.randrange(height), rng.uniform(.1, width / 2), rng.uniform(.1, height)]
                     for _ in range(rng.randrange(4))]
            row['objects'] = {'bbox': boxes, 'categories': [rng.choice(names[:2] if split == 'test' else names) for _ in boxes]}
            rows.append(row)
            wanted[name] = row, [(b, c) for b, c in zip(boxes, row['objects']['categories'])
                                 if b[0] + b[2] <= width and b[1] + b[3] <= height], width, height
        rng.shuffle(rows)
        (folder / split / 'metadata.jsonl').write_text(''.join(json.dumps(r, ensure_ascii=False) + '\n' for r in rows))
    tfr('shard', '-q', '-j', 3, folder, '-o', str(folder / 'a@3') + '=train/', '-o', str(folder / 'b@1') + '=test/')
    spec = {'image/filename': tf.io.FixedLenFeature([], tf.string), 'text': tf.io.FixedLenFeature([], tf.string),
            'score': tf.io.FixedLenFeature([], tf.float32)}
    spec |= {'image/object/bbox/' + side: tf.io.VarLenFeature(tf.float32) for side in ('xmin', 'ymin', 'xmax', 'ymax')}
    spec |= {'image/object/class/label': tf.io.VarLenFeature(tf.int64), 'image/object/class/text': tf.io.VarLenFeature(tf.string)}
    for pattern in 'a-*', 'b-*':
        for record in parsed(sorted(folder.glob(pattern)), spec):
            row, boxes, width, height = wanted.pop(record['image/filename'].numpy().decode())
            assert record['text'] == row['text'].encode() and record['score'] == np.float32(row['score'])
            sides = {'xmin': [b[0] / width for b, _ in boxes], 'ymin': [b[1] / height for b, _ in boxes],
                     'xmax': [(b[0] + b[2]) / width for b, _ in boxes], 'ymax': [(b[1] + b[3]) / height for b, _ in boxes]}
            for side, values_ in sides.items():
                assert values(record, 'bbox/' + side) == list(np.array(values_, np.float32)), row
            assert values(record, 'class/text') == [c.encode() for _, c in boxes], row
            assert values(record, 'class/label') == [sorted(names, key=str.encode).index(c) for _, c in boxes], row
    assert not wanted


def coco_masks(folder, tfr, python):
    """Every mask as pycocotools draws it, to the byte."""
    peer = pathlib.Path(__file__).with_name('peer_coco.py')
    subprocess.run([python, peer, folder, '5', '250'], check=True)
    data = json.loads((folder / 'instances.json').read_text())
    wanted = {int(k): v for k, v in json.loads((folder / 'masks.json').read_text()).items()}
    for image in data['images']:
        Image.new('L', (image['width'], image['height'])).save(folder / image['file_name'])
    tfr('shard', '-q', '--annotations', folder / 'instances.json', folder, '--draw-masks', '-o', folder / 'set@2')
    records = parsed(sorted(folder.glob('set-*')), coco_features())
    assert len(records) == len(data['images'])
    seen = 0
    for record in records:
        of = [a['id'] for a in data['annotations'] if a['image_id'] == int(record['image/source_id'].numpy())]
        masks = values(record, 'mask')
        assert len(masks) == len(of)
        for number, mask in zip(of, masks):
            pixels = decode(mask)
            assert pixels.shape == (record['image/height'].numpy(), record['image/width'].numpy())
            assert hashlib.sha1(pixels.tobytes()).hexdigest() == wanted[number], (number, data['annotations'][number - 1])
            seen += 1
    assert seen == len(wanted)


def cases(tfr, coco, skip):
    """(name, function of a folder) of all of them.  `coco` is the python that has pycocotools, or None: `skip` is raised."""
    def masks(folder):
        if not coco:
            raise skip('no pycocotools here')
        coco_masks(folder, tfr, coco)

    return [(f.__name__.replace('_', '-'), lambda folder, f=f: f(folder, tfr))
            for f in (golden_pairs, our_pairs, coco_boxes, coco_more, voc_boxes, yolo_boxes, metadata_tables)] + [('coco-masks', masks)]
