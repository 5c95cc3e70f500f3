"""Cases of tests/interop/run: sounds and arrays, as TensorFlow, soundfile, NumPy and h5py see them."""
import json
import pathlib
import subprocess

import numpy as np

DATA = pathlib.Path(__file__).resolve().parent.parent / 'data'
HERE = pathlib.Path(__file__).resolve().parent


def sounds(folder, tfr, peer):
    """Random WAV files of every kind: floats are soundfile's to the bit, TensorFlow parses them and their frames, and its
    decode_wav, which reads 16 bits, has the same."""
    import tensorflow as tf
    wanted = {s['name']: s for s in peer('sounds', folder / 'wav', 21, 60)}
    tfr('shard', '-q', folder / 'wav', '-o', folder / 'bytes@1')
    tfr('shard', '-q', folder / 'wav', '--audio', 'floats', '-o', folder / 'floats@1')
    tfr('shard', '-q', folder / 'wav', '--frame', '0.002', '-o', folder / 'frames@1')
    notes = {'audio/' + k: tf.io.FixedLenFeature([], tf.int64) for k in ('sample_rate', 'channels', 'samples')}
    notes['audio/filename'] = tf.io.FixedLenFeature([], tf.string)
    whole = notes | {'audio/encoded': tf.io.FixedLenFeature([], tf.string)}
    floats = notes | {'audio/waveform': tf.io.VarLenFeature(tf.float32)}
    framed = notes | {'audio/frame_samples': tf.io.FixedLenFeature([], tf.int64)}

    def read(name):
        return tf.data.TFRecordDataset(str(folder / (name + '-00000-of-00001')))

    def known(record):
        s = wanted[record['audio/filename'].numpy().decode()]
        assert [int(record['audio/' + k]) for k in ('sample_rate', 'channels', 'samples')] == [
            s['rate'], s['channels'], s['samples']]
        return s, np.array(s['floats'], np.float32)

    seen = [0, 0, 0, 0]
    for record in read('bytes'):
        record = tf.io.parse_single_example(record, whole)
        s, values = known(record)
        assert record['audio/encoded'].numpy() == (folder / 'wav' / s['name']).read_bytes()
        seen[0] += 1
        if s['subtype'] == 'PCM_16' and s['format'] == 'WAV':
            theirs, rate = tf.audio.decode_wav(record['audio/encoded'])
            assert int(rate) == s['rate'] and (theirs.numpy().ravel() == values).all()
            seen[3] += 1
    for record in read('floats'):
        record = tf.io.parse_single_example(record, floats)
        s, values = known(record)
        assert (record['audio/waveform'].values.numpy().view(np.uint32) == values.view(np.uint32)).all(), s['name']
        seen[1] += 1
    for record in read('frames'):
        context, _ = tf.io.parse_single_sequence_example(record, framed, {})
        s, values = known(context)
        frame = int(context['audio/frame_samples'])
        assert frame == round(0.002 * s['rate'])
        spec = {'audio/waveform': tf.io.FixedLenSequenceFeature([frame, s['channels']], tf.float32)}
        _, lists = tf.io.parse_single_sequence_example(record, {}, spec)
        got = lists['audio/waveform'].numpy()
        assert got.shape[0] == -(-s['samples'] // frame)
        assert (got.ravel()[:values.size] == values).all() and not got.ravel()[values.size:].any()
        seen[2] += 1
    assert seen[:3] == [60] * 3 and seen[3] > 3, seen


def arrays(folder, tfr, peer):
    """Random arrays of every type, shape, order and layout: TensorFlow parses what NumPy and h5py read."""
    import tensorflow as tf
    kinds = {'int64': tf.int64, 'float': tf.float32, 'bytes': tf.string}
    seen = 0
    for file in peer('arrays', folder / 'in', 22, 90):
        tfr('shard', '-q', '-f', '-j', 3, folder / 'in' / file['file'], '-o', folder / 'out.tfrecord')
        spec = {name: tf.io.VarLenFeature(kinds[kind]) for name, (kind, _) in file['rows'][0].items()}
        records = list(tf.data.TFRecordDataset(str(folder / 'out.tfrecord')))
        assert len(records) == len(file['rows']), file['file']
        for record, row in zip(records, file['rows']):
            example = tf.train.Example.FromString(record.numpy())
            assert set(example.features.feature) == set(row), file['file']
            got = tf.io.parse_single_example(record, spec)
            for name, (kind, wanted) in row.items():
                values = got[name].values.numpy()
                if kind == 'float':
                    same = (values.view(np.uint32) == np.array(wanted, np.float32).view(np.uint32)).all()
                elif kind == 'bytes':
                    same = [v.hex() for v in values.tolist()] == wanted
                else:
                    same = values.tolist() == wanted
                assert same, '%s, %s' % (file['file'], name)
                seen += 1
    assert seen > 1000, seen


def cases(tfr, python, skip):
    """(name, function of a folder) of all of them.  `python` is the one that scripts/venv arrays prints, or None: `skip` is
    raised."""
    def peer(*arguments):
        done = subprocess.run([python, HERE / 'peer_arrays.py', *map(str, arguments)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    def case(function):
        def run(folder):
            if not python:
                raise skip('no soundfile and h5py here')
            function(folder, tfr, peer)
        return function.__name__.replace('_', '-'), run

    return [case(f) for f in (sounds, arrays)]
