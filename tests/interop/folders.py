"""Cases of tests/interop/run: folders and archives as people download them, read by tf.data with the usual interleave."""
import collections
import io
import math
import shutil

import numpy as np
from PIL import Image

LEFT = object()   # a file beside the images that is none

# Of each layout: the images, or what is beside them; the sets with the folder that each receives; the labels; and the classes of each set.
LAYOUTS = {
    'image-folder': ({'cat': 9, 'dog/puppies': 4, 'dog/old': 3, 'empty/notes.txt': LEFT, '__MACOSX/._1.jpg': LEFT, '.git/x.jpg': LEFT},
                     {'all': None}, ['cat', 'dog'], {'all': {'cat': 9, 'dog': 7}}),
    'splits': ({'train/cat': 9, 'train/dog': 5, 'val/dog': 2, 'val/emu': 1, 'README.md': LEFT},
               {'train': 'train/', 'val': 'val/'}, ['cat', 'dog', 'emu'],
               {'train': {'cat': 9, 'dog': 5}, 'val': {'dog': 2, 'emu': 1}}),
    'one-split-written': ({'train/cat': 3, 'valid/ant': 2, 'test/dog': 4}, {'test': 'test/'}, ['ant', 'cat', 'dog'], {'test': {'dog': 4}}),
    'kaggle-imagenet': ({'ILSVRC/Data/CLS-LOC/train/n01': 6, 'ILSVRC/Data/CLS-LOC/train/n02': 6, 'ILSVRC/Data/CLS-LOC/val': 3,
                         'ILSVRC/Data/CLS-LOC/test': 2, 'ILSVRC/Annotations/CLS-LOC/train/n01/1.xml': LEFT,
                         'ILSVRC/ImageSets/CLS-LOC/val.txt': LEFT, 'LOC_val_solution.csv': LEFT},
                        {'train': 'train/', 'val': 'val/'}, ['n01', 'n02'], {'train': {'n01': 6, 'n02': 6}, 'val': {None: 3}}),
    'kaggle-cats': ({'training_set/training_set/cats': 4, 'training_set/training_set/dogs': 4, 'test_set/test_set/dogs': 2},
                    {'train': 'training_set/', 'test': 'test_set/'}, ['cats', 'dogs'],
                    {'train': {'cats': 4, 'dogs': 4}, 'test': {'dogs': 2}}),
    'cifar': ({'train/frog': 5, 'train/ship': 5, 'test/ship': 2, 'labels.txt': LEFT}, {'train': 'train/', 'test': 'test/'},
              ['frog', 'ship'], {'train': {'frog': 5, 'ship': 5}, 'test': {'ship': 2}}),
    'mnist': ({'%s/%d' % (split, n): 2 for split in ('training', 'testing') for n in range(10)},
              {'train': 'training/', 'test': 'testing/'}, [str(n) for n in range(10)],
              {split: {str(n): 2 for n in range(10)} for split in ('train', 'test')}),
    'tfx': ({'Split-train/a': 4, 'Split-train/b': 4, 'Split-eval/b': 2}, {'train': 'Split-train/', 'eval': 'Split-eval/'}, ['a', 'b'],
            {'train': {'a': 4, 'b': 4}, 'eval': {'b': 2}}),
    'deep-splits': ({'images/Train/cat': 3, 'images/Train/dog': 3, 'images/TEST/dog': 2}, {'a': 'Train/', 'b': 'images/TEST/'},
                    ['cat', 'dog'], {'a': {'cat': 3, 'dog': 3}, 'b': {'dog': 2}}),
    'flat': ({'': 5, 'labels.csv': LEFT}, {'all': None}, [], {'all': {None: 5}}),
    'flat-splits': ({'train': 5, 'test': 3}, {'train': 'train/', 'test': 'test/'}, [], {'train': {None: 5}, 'test': {None: 3}}),
    'one-folder-above': ({'photos/2023/cat': 2, 'photos/2023/dog': 2, 'photos/2023/test': 1}, {'all': None}, ['cat', 'dog', 'test'],
                         {'all': {'cat': 2, 'dog': 2, 'test': 1}}),
}


def make(folder, spec):
    """Writes the images of a layout, each of its own colour; image -> path."""
    images, number = {}, 0
    for path, count in spec.items():
        if count is LEFT:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text('not an image')
            continue
        (folder / path).mkdir(parents=True, exist_ok=True)
        for n in range(count):
            number += 1
            kind = ('JPEG', 'PNG')[number % 2]
            data = io.BytesIO()
            Image.new('RGB', (8 + number % 5, 9), (number % 256, number * 7 % 256, number // 256)).save(data, kind)
            name = '%d.%s' % (n, {'JPEG': 'jpg', 'PNG': 'png'}[kind])
            (folder / path / name).write_bytes(data.getvalue())
            images[(path + '/' if path else '') + name] = data.getvalue()
    return images


def interleaved(paths, batch=32, cycle=16):
    """The records, in the order that tf.data's usual interleave has, in batches of (label, text, file name, bytes)."""
    import tensorflow as tf
    spec = {'image/encoded': tf.io.FixedLenFeature([], tf.string), 'image/filename': tf.io.FixedLenFeature([], tf.string),
            'image/class/label': tf.io.FixedLenFeature([], tf.int64, -1), 'image/class/text': tf.io.FixedLenFeature([], tf.string, '')}
    dataset = tf.data.Dataset.from_tensor_slices([str(path) for path in paths])
    dataset = dataset.interleave(tf.data.TFRecordDataset, cycle_length=cycle).batch(batch)
    for records in dataset:
        parsed = tf.io.parse_example(records, spec)
        yield [(int(label), text.decode(), name.decode(), data) for label, text, name, data in zip(
            *(parsed['image/' + key].numpy() for key in ('class/label', 'class/text', 'filename', 'encoded')))]


def check_sets(images, sets, labels, wanted, out):
    for name in sets:
        files = sorted(out.glob(name + '-*-of-*'))
        assert len(files) == 2, (name, files)
        found = collections.Counter()
        for batch in interleaved(files):
            for label, text, path, data in batch:
                assert images[path] == data, path
                assert (labels[label] == text and text in path.split('/')) if label >= 0 else not text, (path, label, text)
                found[text or None] += 1
        assert found == wanted[name], '%s: %s, not %s' % (name, dict(found), wanted[name])
        beside = sorted(out.glob(name + '*labels.txt'))
        assert len(beside) == bool(labels), beside
        assert not labels or beside[0].read_text() == ''.join('%d:%s\n' % row for row in enumerate(labels)), beside


def layout(folder, tfr, name):
    """A folder, and its tar and zip archives, in which nothing is in the order of the folder."""
    spec, sets, labels, wanted = LAYOUTS[name]
    images = make(folder / 'in', spec)
    inputs = [folder / 'in'] + [shutil.make_archive(str(folder / 'packed'), kind, folder / 'in') for kind in ('tar', 'gztar', 'zip')]
    for k, source in enumerate(inputs):
        out = folder / ('out%d' % k)
        out.mkdir()
        outputs = [x for target, split in sets.items() for x in ('-o', '%s/%s@2%s' % (out, target, '=' + split if split else ''))]
        if len(sets) > 1 and None not in sets.values():
            tfr('shard', source, '-o', out / 'all@2', status=2)
            assert not list(out.iterdir())
        ignore = ['--ignore-annotations'] if any(path.endswith('.xml') for path in spec) else []
        if ignore:
            tfr('shard', source, *outputs, status=2)
        tfr('shard', '-q', source, *ignore, *outputs)
        check_sets(images, sets, labels, wanted, out)


def entropy(labels):
    counts = np.array(list(collections.Counter(labels).values()))
    share = counts / counts.sum()
    return -(share * np.log2(share)).sum()


def batches_are_mixed(folder, tfr):
    """Batches of 32 of 20 classes, of what a folder becomes by default: near the entropy of batches drawn at random, with the
    usual interleave and with shards one after the other.  In the order of classes they are far from it."""
    make(folder / 'in', {'class%02d' % n: 48 for n in range(20)})
    tfr('shard', '-q', folder / 'in', '-o', folder / 'mixed@16')
    tfr('shard', '-q', '--no-shuffle', folder / 'in', '-o', folder / 'sorted@16')
    rng = np.random.default_rng(1)
    random = np.mean([entropy(rng.choice(np.repeat(np.arange(20), 48), 32, replace=False)) for _ in range(200)])

    def mean(name, cycle):
        return np.mean([entropy([row[0] for row in batch]) for batch in interleaved(sorted(folder.glob(name + '-*')), 32, cycle)])

    for cycle in (1, 4, 16):
        assert mean('mixed', cycle) > random - 0.15, (cycle, mean('mixed', cycle), random)
    assert mean('sorted', 16) < math.log2(3) < random - 1


def cases(tfr, skip):
    archive = b'no libarchive' not in tfr('version')

    def of(name):
        def run(folder):
            if not archive:
                raise skip('no libarchive here')
            layout(folder, tfr, name)
        return run

    return [('folder-layout ' + name, of(name)) for name in LAYOUTS] + [
        ('batches-are-mixed', lambda folder: batches_are_mixed(folder, tfr))]
