"""The rows of scripts/bench for the module tfrkit: payloads, batches, records by number, its import."""
import pathlib
import subprocess

import feed_rows
from measure import Row

TESTS = pathlib.Path(__file__).resolve().parent
SECONDS = 3


def every(place, small, mixed, ragged):
    """`small`, `mixed` and `ragged` each make their input, and name its files: a million records of 192 bytes in one file,
    and the inputs of the rows of the feed."""
    peer = TESTS / 'peer_python.py'
    ours = ['env', 'PYTHONPATH=%s' % (place.release / 'python'), place.python, peer]
    made_small, (one,) = small

    def index():
        made_small()
        if not pathlib.Path('%s.idx' % one).exists():
            subprocess.run([place.tfr, 'index', '-q', one], check=True)

    def read(library, name, goal, python):
        return Row('python-read-' + library, '`tfrkit.Reader`, 192 bytes', name, [*ours, 'read', 'tfrkit', SECONDS, one],
                   python and [python, peer, 'read', library, SECONDS, one], goal, rate=True, before=made_small)

    def batches(library, kind, name, goal):
        wanted, (made, files), job = {
            'dense': (feed_rows.DENSE, mixed, '`tfrkit.batches`, 18 numbers a record, dense'),
            'ragged': (feed_rows.RAGGED_FEATURES, ragged, '`tfrkit.batches`, %d ragged int64' % feed_rows.RAGGED)}[kind]
        said = ','.join('%s:%s' % pair for pair in wanted.items())
        arguments = [feed_rows.READ, feed_rows.BUFFER, feed_rows.BATCH, SECONDS, said, *files]
        theirs = ([place.python, peer, 'batches', 'tfrecord', *arguments] if library == 'tfrecord' else
                  [place.python, TESTS / 'peer_tensorflow.py', 'features', 'batched', *arguments])
        return Row('python-batches-%s-%s' % (kind, library), job, name, [*ours, 'batches', 'tfrkit', *arguments], theirs, goal,
                   rate=True, before=made)

    return [
        read('grain', '`grain.experimental.TFRecordIterDataset`', '≥ 10', place.grain),
        read('tfrecord', 'PyPI\'s `tfrecord`', '≥ 20', place.python),
        read('tensorflow', 'TensorFlow, batches of 2048', '≥ 5', place.python),
        batches('tensorflow', 'dense', 'tf.data, batched `parse_example`, read from Python', '≥ 10'),
        batches('tfrecord', 'dense', 'PyPI\'s `tfrecord`', '≥ 30'),
        batches('tensorflow', 'ragged', 'tf.data, batched `parse_example`, read from Python', '≥ 10'),
        Row('python-import', '`import tfrkit`', '`import numpy`', [*ours, 'import', 'tfrkit'],
            [place.python, peer, 'import', 'numpy'], '≥ 2'),
        Row('python-number', '`tfrkit.Reader`, record 500,000 by index', 'reading up to it', [*ours, 'number', one],
            [*ours, 'upto', one], '≥ 1000', before=index)]
