"""Readers for Python at the jobs of scripts/bench, tfrkit among them; prints one JSON object.

  peer_python.py read LIBRARY SECONDS FILE        payloads as bytes, over and over: tfrkit, grain, tfrecord or tensorflow
  peer_python.py batches LIBRARY CYCLE:BLOCK BUFFER BATCH SECONDS FEATURES FILE...
                                                  columns as NumPy arrays: tfrkit, or tfrecord, which stacks the arrays of
                                                  its records and neither interleaves nor shuffles; FEATURES names what is
                                                  wanted as --feature does: id:int64,embedding:float[8]
  peer_python.py import MODULE                    seconds to import it
  peer_python.py number FILE                      seconds for record 500,000 by number, in a Reader that is in use
  peer_python.py upto FILE                        seconds for reading up to that record

Each payload becomes a Python object, and no more is done with it.  Times are of the work alone, without imports.
"""
import collections
import importlib
import itertools
import json
import sys
import time

AT, RECORD = 10000, 500_000   # records between two looks at the clock
WARM_BATCHES = 60


def skip(iterator, count):
    """Takes `count` items; returns whether there were that many."""
    collections.deque(itertools.islice(iterator, count - 1), maxlen=0)
    return next(iterator, None) is not None


def payloads(library, path):
    """What makes an iterator over one epoch, and how many payloads an item of it holds."""
    if library == 'tfrkit':
        import tfrkit
        return lambda: iter(tfrkit.Reader(path)), 1
    if library == 'grain':
        import grain
        return lambda: iter(grain.experimental.TFRecordIterDataset(path)), 1
    if library == 'tfrecord':
        from tfrecord import reader
        return lambda: (bytes(view) for view in reader.tfrecord_iterator(path)), 1
    import tensorflow as tf
    return lambda: tf.data.TFRecordDataset(path, buffer_size=1 << 20).batch(2048).as_numpy_iterator(), 2048


def read(library, seconds, path):
    make, each = payloads(library, path)
    iterator, done = make(), 0
    skip(iterator, 1)
    start = time.perf_counter()
    while (passed := time.perf_counter() - start) < seconds:
        if not skip(iterator, AT // each):
            iterator = make()
        done += AT // each * each
    return {'seconds': passed, 'records_per_second': done / passed}


def drained(batches, size, seconds):
    for _ in range(WARM_BATCHES):
        next(batches)
    done, start = 0, time.perf_counter()
    while (passed := time.perf_counter() - start) < seconds:
        next(batches)
        done += size
    return {'seconds': passed, 'records_per_second': done / passed}


def tfrkit_columns(order, buffer, size, features, files):
    import tfrkit
    cycle, block = map(int, order.split(':'))
    for batch in tfrkit.batches(files, features, size, shuffle=buffer, epochs=None, cycle_length=cycle, block_length=block,
                                drop_remainder=True):
        yield dict(batch)


def tfrecord_columns(size, features, files):
    import numpy
    from tfrecord import reader
    wanted = {}
    for feature in features:
        name, kind = feature.split(':')
        wanted[name] = 'int' if kind.startswith('int64') else 'float'
    while True:
        records = itertools.chain.from_iterable(reader.tfrecord_loader(file, None, wanted) for file in files)
        while len(rows := list(itertools.islice(records, size))) == size:
            yield {name: numpy.stack([row[name] for row in rows]) for name in wanted}


def batches(library, order, buffer, size, seconds, features, *files):
    features, size = features.split(','), int(size)
    made = (tfrkit_columns(order, int(buffer), size, features, files) if library == 'tfrkit' else
            tfrecord_columns(size, features, files))
    return drained(made, size, float(seconds))


def imported(module):
    start = time.perf_counter()
    importlib.import_module(module)
    return {'seconds': time.perf_counter() - start}


def by_number(path):
    import tfrkit
    reader = tfrkit.Reader(path)
    reader[0], reader[900_000]
    start = time.perf_counter()
    reader[RECORD]
    return {'seconds': time.perf_counter() - start}


def up_to(path):
    import tfrkit
    iterator = iter(tfrkit.Reader(path))
    start = time.perf_counter()
    skip(iterator, RECORD + 1)
    return {'seconds': time.perf_counter() - start}


def main(verb, *arguments):
    work = {'read': lambda library, seconds, path: read(library, float(seconds), path), 'batches': batches,
            'import': imported, 'number': by_number, 'upto': up_to}[verb]
    print(json.dumps(work(*arguments)))


if __name__ == '__main__':
    main(*sys.argv[1:])
