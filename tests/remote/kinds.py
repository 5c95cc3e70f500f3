"""Data sets below a prefix: each kind gives the same bytes as the folder that it was uploaded from, and its files are asked for ahead."""
import os
import signal

from harness import DATA, case, read, write
from servers import faults
from support import datasets


def _parts_of(kind):
    """Any number of parts write into the bucket what one process writes into a folder; the last part writes twice."""
    files, words = datasets.KINDS[kind]

    def run(t):
        s = t.store()
        for path, data in files.items():
            write(t.path('%s/%s' % (kind, path)), data)
            s.put('train', '%s/%s' % (kind, path), data)
        here, there = ([top + w if w.split('/')[0] == kind else w for w in words] for top in (t.path(''), 's3://train/'))
        t.good('shard', '-q', *here, '-o', t.path('x@5.tfrecord'))
        t.good('shard', '-q', *there, '-o', t.path('y@5.tfrecord'))
        for i in range(5):
            assert read(t.path('x-%05d-of-00005.tfrecord' % i)) == read(t.path('y-%05d-of-00005.tfrecord' % i)), i
        content = t.good('count', '--sum', t.path('x@5.tfrecord')).out.split()[1].decode()
        for n in (1, 2, 3, 8, 64):
            target = 's3://train/out%d/x@5.tfrecord' % n
            for i in range(1, n):
                t.good('shard', '-q', *there, '-o', target, '--part', '%d/%d' % (i, n))
            assert n == 1 or 'part 0 of %d has not finished' % n in t.run('finish', target).err
            for _ in range(2):
                t.good('shard', '-q', *there, '-o', target, '--part', '0/%d' % n)
            t.good('finish', target, '--expect-sum', content)
            for i in range(5):
                shard = 'x-%05d-of-00005.tfrecord' % i
                assert s.get('train', 'out%d/%s' % (n, shard)) == read(t.path(shard)), (n, shard)
            t.good('check', '-q', '--manifest', target)
            assert not [key for key in s.keys_of('train') if '.part-' in key], n
        assert 'finished before' in t.good('finish', target).err
    run.__name__ = 'parts_of_' + kind
    return run


for name in datasets.KINDS:
    case(_parts_of(name))


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
    _same(t, datasets.classes())


@case
def yolo_names_above_a_prefix(t):
    """The folder above a prefix has the names of classes, but nothing is above a bucket.  A key that may read one prefix is
    enough for the images in it."""
    s, image, label = t.store(), read(DATA + 'images/jpeg/422.jpg'), b'0 .5 .5 .2 .2\n'
    for key, data in {'flat/train/a.jpg': image, 'flat/train/a.txt': label, 'flat/data.yaml': b'names: [cat]\n', 'pair/images/a.jpg': image,
                      'pair/labels/a.txt': label, 'one/images/a.jpg': image}.items():
        s.put('train', key, data)
    t.good('shard', 's3://train/flat/train', '-o', t.path('flat.tfrecord'))
    assert b'"cat"' in t.good('show', t.path('flat.tfrecord')).out
    t.fails(2, 'shard', 's3://train/pair', '-o', t.path('x.tfrecord'), says='cannot find data.yaml')
    s.inject(faults.status(403, 'AccessDenied', 'Access Denied'), times=None,
             when=lambda r: not (r.path.startswith('/train/one/images') or r.parameters.get('prefix', '').startswith('one/images')))
    t.good('shard', 's3://train/one/images', '-o', t.path('one.tfrecord'))


@case
def yolo_with_labels(t):
    _same(t, datasets.yolo())


@case
def voc_with_annotations(t):
    _same(t, datasets.voc())


@case
def coco_with_annotations(t):
    _same(t, datasets.coco())


@case
def files_with_metadata(t):
    _same(t, datasets.metadata())


@case
def lists_with_embedded_images(t):
    _same(t, datasets.table(), '/list.csv', ('--embed', 'img'))


@case
def a_part_that_is_killed_or_refused_between_its_objects(t):
    """It knows the objects that it left as its own, and replaces no others."""
    s = t.store()
    for path, data in datasets.classes().items():
        write(t.path('d/' + path), data)
    t.good('shard', '-q', t.path('d'), '-o', t.path('x@4.tfrecord'))
    words = ['shard', '-q', '-j', '1', t.path('d'), '-o', 's3://train/out/x@4.tfrecord', '--part', '0/2']
    shard = ['out/x-%05d-of-00004.tfrecord' % i for i in range(4)]
    child = []

    def kill(x):
        child[0].send_signal(signal.SIGKILL)
        x.close(reset=True)
    fault = s.inject(kill, when=lambda r: r.method == 'PUT' and r.path.endswith(shard[2]))
    child.append(t.start(*words))
    child[0].communicate()
    assert child[0].returncode == -signal.SIGKILL and fault.count == 1
    assert [k for k in s.keys_of('train') if '.part-00000' in k] and not s.get('train', shard[2])
    assert 'part 0 of 2 has not finished' in t.run('finish', 's3://train/out/x@4.tfrecord').err
    t.good(*words)
    s.put('train', shard[1], b'keep')   # of another run
    t.fails(2, *words[:-1], '1/2', says='will not overwrite')
    assert s.get('train', shard[1]) == b'keep' and not [k for k in s.keys_of('train') if '.part-00001' in k]
    s.objects.pop(('train', shard[1]))
    t.good(*words[:-1], '1/2')
    t.good('finish', 's3://train/out/x@4.tfrecord')
    for name in shard:
        assert s.get('train', name) == read(t.path(os.path.basename(name))), name
