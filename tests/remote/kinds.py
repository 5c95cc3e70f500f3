"""Data sets below a prefix: each kind gives the same bytes as the folder that it was uploaded from, and its files are asked for ahead."""
import json
import os

from harness import DATA, case, read, write

IMAGE = read(DATA + 'images/jpeg/444.jpg')   # 47 x 33
XML = '''<annotation><filename>%03d.jpg</filename><size><width>47</width><height>33</height><depth>3</depth></size>
<object><name>c%d</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>20</xmax><ymax>20</ymax></bndbox></object></annotation>'''


def classes():
    return {'class%d/%03d.jpg' % (i % 3, i): IMAGE for i in range(40)}


def yolo():
    files = {'data.yaml': b'train: images\nnames: [a, b]\n'}
    for i in range(60):
        files['images/%03d.jpg' % i] = IMAGE
        if i % 5:
            files['labels/%03d.txt' % i] = b'%d 0.5 0.5 0.2 0.2\n' % (i % 2)
    return files


def voc():
    return {name: data for i in range(40) for name, data in (('JPEGImages/%03d.jpg' % i, IMAGE),
                                                              ('Annotations/%03d.xml' % i, (XML % (i, i % 3)).encode()))}


def coco():
    images = [{'id': i, 'file_name': '%03d.jpg' % i, 'width': 47, 'height': 33} for i in range(40)]
    boxes = [{'id': i + 1, 'image_id': i, 'category_id': 1, 'bbox': [1, 1, 10, 10], 'area': 100, 'iscrowd': 0} for i in range(40)]
    files = {'train/' + image['file_name']: IMAGE for image in images}
    files['annotations/instances_train.json'] = json.dumps({'images': images, 'annotations': boxes, 'categories': [{'id': 1, 'name': 'x'}]}).encode()
    return files


def table():
    files = {'im/%03d.jpg' % i: IMAGE for i in range(30)}
    files['list.csv'] = b'name,img\n' + b''.join(b'%d,im/%03d.jpg\n' % (i, i) for i in range(30))
    return files


def _same(t, files, name='', options=(), ahead=True):
    s = t.store()
    for path, data in files.items():
        write(t.path('d/' + path), data)
        s.put('train', 'd/' + path, data)
    s.put('train', 'd/gone/', b'')   # the object that marks a folder
    for more in ((), ('--shuffle', '--seed', '3')):
        wanted = t.good('shard', '-q', '-f', *options, *more, t.path('d' + name), '-o', t.path('local')) and read(t.path('local'))
        t.good('shard', '-q', '-f', *options, *more, 's3://train/d' + name, '-o', t.path('remote'))
        assert read(t.path('remote')) == wanted, (name, more)
    images = [r for r in s.requests if r.method == 'GET' and r.path.endswith('.jpg')]
    assert len(images) >= 2 * sum(path.endswith('.jpg') for path in files)
    assert not ahead or sum('Range' not in r.headers for r in images) >= len(images) // 2, 'ranges, not whole objects'
    os.unlink(t.path('remote'))


@case
def class_folders(t):
    _same(t, classes())


@case
def yolo_with_labels(t):
    _same(t, yolo())


@case
def voc_with_annotations(t):
    _same(t, voc())


@case
def coco_with_annotations(t):
    _same(t, coco())


@case
def lists_with_embedded_images(t):
    _same(t, table(), '/list.csv', ('--embed', 'img'))


@case
def images_with_masks(t):
    names = sorted(os.listdir(DATA + 'pairs/images')) if os.path.isdir(DATA + 'pairs/images') else []
    if not names:
        return
    s = t.store()
    for folder in ('images', 'masks'):
        for name in os.listdir(DATA + 'pairs/' + folder):
            if os.path.isfile(DATA + 'pairs/%s/%s' % (folder, name)):
                s.put('train', '%s/%s' % (folder, name), read(DATA + 'pairs/%s/%s' % (folder, name)))
    here = t.run('shard', '-q', '-f', '--mask', DATA + 'pairs/masks', DATA + 'pairs/images', '-o', t.path('local'))
    there = t.run('shard', '-q', '-f', '--mask', 's3://train/masks', 's3://train/images', '-o', t.path('remote'))
    assert here.status == there.status, (here, there)
    assert here.status or read(t.path('local')) == read(t.path('remote'))
