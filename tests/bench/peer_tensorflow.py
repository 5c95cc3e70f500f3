"""TensorFlow at the jobs of scripts/bench, tuned as its own guides say; prints one JSON object.

  peer_tensorflow.py count FILE...              how many records, plain reading: every CRC is verified on the way
  peer_tensorflow.py count-small FILE...        the same as fast as it goes where records are small
  peer_tensorflow.py count-gzip FILE...         the same of GZIP files
  peer_tensorflow.py gzip OUT LEVEL RECORDS FILE...
                                                the first RECORDS to one GZIP file; LEVEL -1: zlib's own choice
  peer_tensorflow.py shard FOLDER SET PROCESSES a class folder to 16 shards
  peer_tensorflow.py arrays OUT RECORDS FILE... the first RECORDS rows of vector and label, out of NPY files or one of HDF5,
                                                to one file
  peer_tensorflow.py feed exact|fast crop|whole FILE...
                                                tf.data: crop or not, resize to 224, flip, normalise, batches of 64
  peer_tensorflow.py features batched|loop|cached CYCLE:BLOCK BUFFER BATCH SECONDS FEATURES FILE...
                                                tf.data: interleave, shuffle, parse into columns, batch; FEATURES names
                                                what is wanted as --feature does: id:int64,embedding:float[8],f00:int64[]
  peer_tensorflow.py sounds CYCLE:BLOCK BUFFER BATCH SAMPLES SECONDS FILE...
                                                tf.data: interleave, shuffle, decode_wav, so many samples from anywhere in
                                                the sound, zeros behind shorter ones, batch
  peer_tensorflow.py shuffle OUT RECORDS FILE...
                                                the first RECORDS, all in the buffer of dataset.shuffle(), to one file
  peer_tensorflow.py mix OUT RECORDS SETS WEIGHTS FILE...
                                                the first RECORDS by sample_from_datasets(), to one file: the files are
                                                dealt to SETS sets, and WEIGHTS is such as 0.7,0.3
  peer_tensorflow.py parse LAYOUT BATCH SECONDS FEATURES FILE...
                                                parse_example over records in memory, batches of BATCH, as
                                                parse_batches does; LAYOUT is dense, padded or ragged, and FEATURES names
                                                what is wanted and its kind: label=int64,blob=bytes

Times, also those of processors, are of the work alone: importing TensorFlow (2 to 4 s) is left out in its favour.
"""
import json
import math
import multiprocessing
import os
import pathlib
import sys
import time

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import tensorflow as tf

SHARDS = 16
BATCH, SIZE, BUFFER = 64, 224, 2048
WARM_BATCHES, BATCHES = 60, 187   # autotuning settles in the first; 187 are an epoch of 12,000
AUTOTUNE = tf.data.AUTOTUNE


def processor_time():
    """Of this process and of its children that have ended."""
    return sum(os.times()[:4])


def drained(batches, batch, seconds, warm=WARM_BATCHES):
    """The rate of an endless data set for `seconds`, after so many batches that are not counted."""
    iterator = iter(batches)
    for _ in range(warm):
        next(iterator)
    done = 0
    start, processor = time.perf_counter(), processor_time()
    while time.perf_counter() - start < seconds:
        next(iterator)
        done += batch
    seconds = time.perf_counter() - start
    return {'seconds': seconds, 'records_per_second': done / seconds, 'cpu': processor_time() - processor}


def count(files, batch=256, parallel=os.cpu_count(), compression=''):
    start = time.perf_counter()
    records = tf.data.TFRecordDataset(files, compression, buffer_size=1 << 20, num_parallel_reads=parallel)
    n = int(records.batch(batch).reduce(tf.constant(0, tf.int64), lambda n, batch: n + tf.size(batch, tf.int64)))
    seconds = time.perf_counter() - start
    return {'seconds': seconds, 'records': n, 'records_per_second': n / seconds}


def feature(value):
    if isinstance(value, int):
        return tf.train.Feature(int64_list=tf.train.Int64List(value=[value]))
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))


def write_shards(job):
    items, target, shards = job
    writers = {s: tf.io.TFRecordWriter('%s-%05d-of-%05d.tfrecord' % (target, s, SHARDS)) for s in shards}
    for number, (path, name, label, text) in items:
        with open(path, 'rb') as f:
            data = f.read()
        height, width, channels = map(int, tf.io.extract_jpeg_shape(data))
        example = tf.train.Example(features=tf.train.Features(feature={
            'image/encoded': feature(data), 'image/format': feature(b'jpeg'), 'image/filename': feature(name.encode()),
            'image/height': feature(height), 'image/width': feature(width), 'image/channels': feature(channels),
            'image/class/label': feature(label), 'image/class/text': feature(text.encode())}))
        writers[number % SHARDS].write(example.SerializeToString())
    for writer in writers.values():
        writer.close()


def shard(folder, target, processes):
    start = time.perf_counter()
    folder = pathlib.Path(folder)
    items = []
    for label, sub in enumerate(sorted(os.listdir(folder))):
        for name in sorted(os.listdir(folder / sub)):
            items.append((str(folder / sub / name), '%s/%s' % (sub, name), label, sub))
    items = list(enumerate(items))
    jobs = []
    for p in range(processes):
        mine = range(p, SHARDS, processes)
        jobs.append(([item for item in items if item[0] % SHARDS in mine], target, mine))
    # A forked child may not touch a TensorFlow that has run; this parent has only imported it.
    with multiprocessing.get_context('fork').Pool(processes) as pool:
        pool.map(write_shards, jobs)
    return {'seconds': time.perf_counter() - start, 'records': len(items)}


def arrays(out, records, files):
    if files[0].endswith('.h5'):
        import h5py
        f = h5py.File(files[0])
        vector, label = f['vector'], f['label']
    else:
        import numpy as np
        vector, label = (np.load(file, mmap_mode='r') for file in files)
    start, cpu = time.perf_counter(), processor_time()
    with tf.io.TFRecordWriter(out) as writer:
        for first in range(0, records, 64):   # chunks of HDF5 are read once
            for row, number in zip(vector[first:min(first + 64, records)], label[first:first + 64]):
                example = tf.train.Example(features=tf.train.Features(feature={
                    'vector': tf.train.Feature(float_list=tf.train.FloatList(value=row)), 'label': feature(int(number))}))
                writer.write(example.SerializeToString())
    seconds = time.perf_counter() - start
    return {'seconds': seconds, 'records_per_second': records / seconds, 'cpu': processor_time() - cpu}


def window(shape):
    """A random-resized crop by the law that torchvision, DALI and tfr share: 8 to 100 % of the area, a shape of 3:4 to 4:3.

    tf.image.sample_distorted_bounding_box draws the height evenly, not the area: smaller windows, less to decode.
    """
    height, width = tf.cast(shape[0], tf.float32), tf.cast(shape[1], tf.float32)
    u = tf.random.uniform([4])
    area = (0.08 + 0.92 * u[0]) * height * width
    ratio = tf.exp((2 * u[1] - 1) * math.log(4 / 3))
    h = tf.minimum(tf.round(tf.sqrt(area / ratio)), height)
    w = tf.minimum(tf.round(tf.sqrt(area * ratio)), width)
    return tf.cast(tf.stack([u[2] * (height - h), u[3] * (width - w), h, w]), tf.int32)


def feed(dct, crop, files):
    method = {'exact': 'INTEGER_ACCURATE', 'fast': 'INTEGER_FAST'}[dct]
    wanted = {'image/encoded': tf.io.FixedLenFeature([], tf.string), 'image/class/label': tf.io.FixedLenFeature([], tf.int64)}

    def load(record):
        parsed = tf.io.parse_single_example(record, wanted)
        encoded = parsed['image/encoded']
        if crop == 'crop':
            image = tf.image.decode_and_crop_jpeg(encoded, window(tf.io.extract_jpeg_shape(encoded)), channels=3,
                                                    dct_method=method)
        else:
            image = tf.io.decode_jpeg(encoded, channels=3, dct_method=method)
        image = tf.image.resize(image, [SIZE, SIZE])
        image = tf.image.random_flip_left_right(image)
        return (image - 127.5) / 127.5, parsed['image/class/label']

    batches = (tf.data.Dataset.from_tensor_slices(files).repeat()
               .interleave(tf.data.TFRecordDataset, cycle_length=16, block_length=1, num_parallel_calls=AUTOTUNE,
                           deterministic=False)
               .shuffle(BUFFER).map(load, num_parallel_calls=AUTOTUNE, deterministic=False)
               .batch(BATCH, drop_remainder=True).prefetch(AUTOTUNE))
    iterator = iter(batches)
    for _ in range(WARM_BATCHES):
        next(iterator)
    start = time.perf_counter()
    for _ in range(BATCHES):
        next(iterator)
    seconds = time.perf_counter() - start
    return {'seconds': seconds, 'records_per_second': BATCHES * BATCH / seconds}


def wanted_column(text):
    """A --feature of ours as parse_example() takes it: id:int64, embedding:float[8], f00:int64[] (ragged)."""
    name, kind = text.split(':')
    kind, _, shape = kind.partition('[')
    dtype = {'int64': tf.int64, 'float': tf.float32, 'bytes': tf.string}[kind]
    if shape == ']':
        return name, tf.io.RaggedFeature(dtype, row_splits_dtype=tf.int64)
    return name, tf.io.FixedLenFeature([int(shape[:-1])] if shape else [], dtype)


def columns(how, read, buffer, batch, seconds, names, files):
    """batched: as the guide to performance says: batches are parsed, by several threads, and records, which are small, are
    interleaved by one, since handing them from thread to thread costs more than reading them; a pool of its own, whose
    threads do not split an operation again, is a quarter faster.  loop: what one writes first, a record at a time.
    cached: the same from memory, once the first epoch, which is not measured, has filled it.  (Columns kept in place of
    records have to be taken apart and shuffled and put together again, which takes longer than parsing.)"""
    wanted = dict(wanted_column(column) for column in names.split(','))
    cycle, block = map(int, read.split(':'))

    if how == 'loop':
        records = tf.data.TFRecordDataset(files).repeat().shuffle(buffer)
        batches = records.map(lambda record: tf.io.parse_single_example(record, wanted)).ragged_batch(batch)
    else:
        records = tf.data.Dataset.from_tensor_slices(files).interleave(
            lambda path: tf.data.TFRecordDataset(path, buffer_size=1 << 20), cycle_length=cycle, block_length=block)
        if how == 'cached':
            records = records.cache()
        batches = records.repeat().shuffle(buffer).batch(batch, drop_remainder=True).map(
            lambda r: tf.io.parse_example(r, wanted), num_parallel_calls=AUTOTUNE, deterministic=False)
        options = tf.data.Options()
        options.threading.private_threadpool_size = len(os.sched_getaffinity(0))
        options.threading.max_intra_op_parallelism = 1
        batches = batches.prefetch(AUTOTUNE).with_options(options)
    return drained(batches, batch, seconds, count(files)['records'] // batch + 1 if how == 'cached' else WARM_BATCHES)


def sounds(read, buffer, batch, samples, seconds, files):
    cycle, block = map(int, read.split(':'))
    wanted = {'audio/encoded': tf.io.FixedLenFeature([], tf.string)}

    def load(record):
        sound, _ = tf.audio.decode_wav(tf.io.parse_single_example(record, wanted)['audio/encoded'], desired_channels=1)
        there = tf.shape(sound)[0]
        at = tf.random.uniform([], 0, tf.maximum(there - samples, 0) + 1, tf.int32)
        sound = sound[at:at + samples]
        return tf.ensure_shape(tf.pad(sound, [[0, samples - tf.shape(sound)[0]], [0, 0]]), [samples, 1])

    batches = (tf.data.Dataset.from_tensor_slices(files).repeat()
               .interleave(lambda path: tf.data.TFRecordDataset(path, buffer_size=1 << 20), cycle_length=cycle,
                           block_length=block, num_parallel_calls=AUTOTUNE, deterministic=False)
               .shuffle(buffer).map(load, num_parallel_calls=AUTOTUNE, deterministic=False)
               .batch(batch, drop_remainder=True).prefetch(AUTOTUNE))
    return drained(batches, batch, seconds)


def count_small(files, compression=''):
    """Handing small records from thread to thread costs more than reading them: one thread is four times as fast as
    several, and large batches a quarter faster than small ones."""
    return count(files, 2048, None, compression)


def first(records, files):
    return tf.data.TFRecordDataset(files, buffer_size=1 << 20, num_parallel_reads=os.cpu_count()).take(records)


def write(dataset, out, options=None):
    """A dataset of records to one file.  Handed to Python in batches: twice as fast as one at a time, and a little
    faster than tf.data.experimental.TFRecordWriter, which does it without Python and is deprecated."""
    with tf.io.TFRecordWriter(out, options) as writer:
        for batch in dataset.batch(256).prefetch(AUTOTUNE).as_numpy_iterator():
            for record in batch:
                writer.write(record)


def gzip(out, level, records, files):
    options = tf.io.TFRecordOptions(compression_type='GZIP', compression_level=None if level < 0 else level,
                                    input_buffer_size=1 << 20, output_buffer_size=1 << 20)
    start = time.perf_counter()
    write(tf.data.TFRecordDataset(files, buffer_size=1 << 20).take(records), out, options)
    seconds = time.perf_counter() - start
    return {'seconds': seconds, 'records_per_second': records / seconds}


def shuffle(out, records, files):
    start = time.perf_counter()
    write(first(records, files).shuffle(records, seed=1), out)
    seconds = time.perf_counter() - start
    return {'seconds': seconds, 'records_per_second': records / seconds}


def mix(out, records, sets, weights, files):
    start = time.perf_counter()
    sets = [tf.data.TFRecordDataset(files[s::sets], buffer_size=1 << 20) for s in range(sets)]
    write(tf.data.Dataset.sample_from_datasets(sets, weights, seed=1).take(records), out)
    seconds = time.perf_counter() - start
    return {'seconds': seconds, 'records_per_second': records / seconds}


def wanted_feature(layout, kind):
    dtype = {'int64': tf.int64, 'float': tf.float32, 'bytes': tf.string}[kind]
    if layout == 'dense':
        return tf.io.FixedLenFeature([], dtype)
    return tf.io.RaggedFeature(dtype, row_splits_dtype=tf.int64) if layout == 'ragged' else \
        tf.io.FixedLenSequenceFeature([], dtype, allow_missing=True)


def parse(layout, batch, seconds, features, files):
    """Batches are made before: what is timed is parse_example, which uses all cores by itself, several at a time."""
    wanted = {name: wanted_feature(layout, kind) for name, kind in (part.split('=') for part in features)}
    batches = tf.stack(list(tf.data.TFRecordDataset(files).batch(batch, drop_remainder=True)))
    parsed = (tf.data.Dataset.from_tensor_slices(batches).repeat()
              .map(lambda records: tf.io.parse_example(records, wanted), num_parallel_calls=AUTOTUNE, deterministic=False)
              .prefetch(AUTOTUNE))
    return drained(parsed, batch, seconds)


def shares(text):
    return [float(share) for share in text.split(',')]


def main(verb, *arguments):
    processor = processor_time()
    if verb == 'count':
        result = count(arguments)
    elif verb == 'count-small':
        result = count_small(arguments)
    elif verb == 'count-gzip':
        result = count_small(arguments, 'GZIP')
    elif verb == 'gzip':
        out, level, records, *files = arguments
        result = gzip(out, int(level), int(records), files)
    elif verb == 'shard':
        result = shard(arguments[0], arguments[1], int(arguments[2]))
    elif verb == 'arrays':
        result = arrays(arguments[0], int(arguments[1]), list(arguments[2:]))
    elif verb == 'shuffle':
        result = shuffle(arguments[0], int(arguments[1]), list(arguments[2:]))
    elif verb == 'mix':
        out, records, sets, weights, *files = arguments
        result = mix(out, int(records), int(sets), shares(weights), files)
    elif verb == 'parse':
        layout, batch, seconds, features, *files = arguments
        result = parse(layout, int(batch), float(seconds), features.split(','), files)
    elif verb == 'features':
        how, read, buffer, batch, seconds, wanted, *files = arguments
        result = columns(how, read, int(buffer), int(batch), float(seconds), wanted, files)
    elif verb == 'sounds':
        read, buffer, batch, samples, seconds, *files = arguments
        result = sounds(read, int(buffer), int(batch), int(samples), float(seconds), files)
    else:
        result = feed(arguments[0], arguments[1], list(arguments[2:]))
    print(json.dumps({'cpu': processor_time() - processor, **result}))


if __name__ == '__main__':
    main(*sys.argv[1:])
