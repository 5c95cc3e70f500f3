"""NVIDIA DALI's CPU pipeline at the feed of scripts/bench; prints one JSON object.

  peer_dali.py crop|whole FILE...   decode a random-resized crop, or all, resize to 224, flip, normalise, batches of 64,
                                    all cores

Decoding is DALI's default (ISLOW, fancy upsampling).  DALI reads by index: one is written to a folder of its own first
and not counted.
"""
import json
import os
import struct
import sys
import tempfile
import time

from nvidia.dali import fn, pipeline_def, tfrecord, types

BATCH, SIZE, BUFFER = 64, 224, 2048
WARM_BATCHES, BATCHES = 60, 187


def write_index(path, target):
    with open(path, 'rb') as data, open(target, 'w') as index:
        at = 0
        while head := data.read(8):
            size = struct.unpack('<Q', head)[0] + 16
            index.write('%d %d\n' % (at, size))
            at += size
            data.seek(at)


@pipeline_def(batch_size=BATCH, num_threads=os.cpu_count(), device_id=None, seed=0)
def feed(window, files, indexes):
    record = fn.readers.tfrecord(
        path=files, index_path=indexes, random_shuffle=True, initial_fill=BUFFER, name='reader',
        features={'image/encoded': tfrecord.FixedLenFeature((), tfrecord.string, ''),
                  'image/class/label': tfrecord.FixedLenFeature([1], tfrecord.int64, -1)})
    if window == 'crop':
        image = fn.decoders.image_random_crop(
            record['image/encoded'], device='cpu', output_type=types.RGB, random_aspect_ratio=[3 / 4, 4 / 3],
            random_area=[0.08, 1.0], num_attempts=10)
    else:
        image = fn.decoders.image(record['image/encoded'], device='cpu', output_type=types.RGB)
    image = fn.resize(image, resize_x=SIZE, resize_y=SIZE, interp_type=types.INTERP_LINEAR, antialias=False)
    image = fn.crop_mirror_normalize(image, mirror=fn.random.coin_flip(), mean=[127.5] * 3, std=[127.5] * 3,
                                       dtype=types.FLOAT, output_layout='HWC')
    return image, record['image/class/label']


def main(window, *files):
    with tempfile.TemporaryDirectory() as folder:
        indexes = ['%s/%d.idx' % (folder, n) for n in range(len(files))]
        for path, target in zip(files, indexes):
            write_index(path, target)
        pipeline = feed(window, list(files), indexes)
        pipeline.build()
        for _ in range(WARM_BATCHES):
            pipeline.run()
        start = time.perf_counter()
        for _ in range(BATCHES):
            pipeline.run()
        seconds = time.perf_counter() - start
    print(json.dumps({'seconds': seconds, 'records_per_second': BATCHES * BATCH / seconds}))


main(*sys.argv[1:])
