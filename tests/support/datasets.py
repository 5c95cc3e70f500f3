"""Small data sets of each kind, as dictionaries of paths and bytes."""
import io
import json
import os
import tarfile

DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'data/')


def read(path):
    with open(path, 'rb') as f:
        return f.read()


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


def metadata():
    """Hugging Face's imagefolder, with boxes."""
    files = {'im/%03d.jpg' % i: IMAGE for i in range(30)}
    files['metadata.csv'] = b'file_name,text\n' + b''.join(b'im/%03d.jpg,number %d\n' % (i, i) for i in range(30))
    return files


def audio():
    wav = read(DATA + 'audio/' + sorted(name for name in os.listdir(DATA + 'audio') if name.endswith('.wav'))[0])
    return {'%s/%02d.wav' % ('ab'[i % 2], i): wav for i in range(20)}


def pairs():
    return {'%s/%s' % (folder, name): read(DATA + 'pairs/%s/%s' % (folder, name))
            for folder in ('images', 'masks') for name in os.listdir(DATA + 'pairs/' + folder)}


def tar():
    """Class folders in an archive."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode='w') as archive:
        for name, data in classes().items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return {'x.tar': packed.getvalue()}


def write(files, folder):
    for name, data in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as f:
            f.write(data)


# name: the files, and the words of `shard` that read them, with paths below the folder that has a folder for each name
KINDS = {
    'classes': (classes(), ['classes']),
    'pairs': (pairs(), ['pairs/images', '--mask', 'pairs/masks']),
    'audio': (audio(), ['audio']),
    'coco': (coco(), ['coco']),
    'voc': (voc(), ['voc']),
    'yolo': (yolo(), ['yolo']),
    'metadata': (metadata(), ['metadata']),
    'tar': (tar(), ['tar/x.tar']),
    'table': (table(), ['table/list.csv', '--embed', 'img']),
}
