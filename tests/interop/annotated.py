"""Cases of tests/interop/run: pictures with what belongs to them, as Pillow, TensorFlow and pycocotools see it."""
import io
import pathlib
import random

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
    tfr('shard', '-q', '--image', PAIRS / 'images', '--mask', PAIRS / 'masks', '-o', folder / 'set@1')
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
    tfr('shard', '-q', '--image', folder / 'images', '--mask', folder / 'masks', '-o', folder / 'set@6.tfrecord')
    shards = sorted(folder.glob('set-*'))
    assert [tfr('count', path) for path in shards] == [b'100\n'] * 6
    for n, record in enumerate(parsed(shards, deeplab())):
        assert record['image/filename'] == b'%03d.jpg' % n
        assert (decode(record['image/segmentation/class/encoded'].numpy()) == wanted[n]).all(), n


def cases(tfr):
    """(name, function of a folder) of all of them."""
    return [(f.__name__.replace('_', '-'), lambda folder, f=f: f(folder, tfr)) for f in (golden_pairs, our_pairs)]
