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


TYPES = {'float32': np.float32, 'int16': np.int16, 'float16': np.float16, 'bfloat16': np.uint16}


def fed(program, path, where, stages):
    """The sounds of a feed's batches, as one array."""
    done = subprocess.run([program, path, where, stages], capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    batches, at = [], 0
    for line in done.stderr.decode().splitlines():
        *shape, dtype, name = line.split()
        assert name == 'audio'
        shape = tuple(map(int, shape))
        size = int(np.prod(shape)) * np.dtype(TYPES[dtype]).itemsize
        batches.append(np.frombuffer(done.stdout[at:at + size], TYPES[dtype]).reshape(shape))
        at += size
    assert at == len(done.stdout)
    return np.concatenate(batches)


def cut(values, channels, length):
    """By plain indexing: the first samples, zeros behind them, the first channels, the last one again."""
    values = values[:length, np.minimum(np.arange(channels), values.shape[1] - 1)]
    return np.concatenate([values, np.zeros((length - len(values), channels), np.float32)])


def sounds_fed(folder, tfr, peer, program):
    """Sounds of every kind through a feed: soundfile's floats to the bit, and decode_wav's of 16 bits with the same
    desired_channels and desired_samples; other types as tf.cast has them."""
    import tensorflow as tf

    def feed(where, stages):
        return fed(program, folder / 'bytes@1', where, stages)

    wanted = {}
    for s in peer('sounds', folder / 'wav', 23, 60):
        values = np.array(s['floats'], np.float32).reshape(-1, s['channels'])
        wanted.setdefault(s['rate'], []).append((s, values))
    tfr('shard', '-q', '--no-shuffle', folder / 'wav', '-o', folder / 'bytes@1')
    theirs = 0
    for rate, all_of_rate in wanted.items():
        where = 'audio/sample_rate == %d' % rate
        for channels, length in (1, 700), (2, 4000), (4, 33):
            plain = np.stack([cut(values, channels, length) for _, values in all_of_rate])
            shape = 'read=1,parse,filter,decode=audio:%d,channels=%d,crop=%d' % (rate, channels, length)
            got = feed(where, shape + ',batch=7,upload')
            assert (got.view(np.uint32) == plain.view(np.uint32)).all(), (rate, channels)
            for k, (s, values) in enumerate(all_of_rate):
                if s['subtype'] == 'PCM_16' and s['format'] == 'WAV':
                    tensor, _ = tf.audio.decode_wav((folder / 'wav' / s['name']).read_bytes(), channels, length)
                    assert (tensor.numpy() == got[k]).all(), s['name']
                    theirs += 1
            half = feed(where, shape + ',cast=float16,batch=7,upload')
            assert (half.view(np.uint16) == tf.cast(plain, tf.float16).numpy().view(np.uint16)).all()
            brain = feed(where, shape + ',cast=bfloat16,channels-first,batch=7,upload')
            cast = tf.bitcast(tf.cast(plain.transpose(0, 2, 1), tf.bfloat16), tf.uint16).numpy()
            assert (brain == cast).all()
            whole = feed(where, shape + ',cast=int16,batch=7,upload')
            assert (whole == np.clip(np.rint(plain.astype(np.float64) * 32768), -32768, 32767)).all()
            middle = [values[max(0, (len(values) - length) // 2):] for _, values in all_of_rate]
            got = feed(where, shape.replace('crop', 'centre-crop') + ',batch=7,upload')
            assert (got == np.stack([cut(values, channels, length) for values in middle])).all()
        mixed = feed(where, 'read=1,parse,filter,decode=audio:%d,mono,crop=999,batch=9,upload' % rate)
        for k, (_, values) in enumerate(all_of_rate):
            mean = tf.reduce_mean(values, axis=1, keepdims=True).numpy()
            assert np.allclose(mixed[k], cut(mean, 1, 999), rtol=0, atol=2e-7)
    assert theirs > 5, theirs


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


def cases(tfr, feed, python, skip):
    """(name, function of a folder) of all of them.  `feed` is the program interop-feed; `python` is the one that
    scripts/venv arrays prints, or None.  Where one of them is not there, `skip` is raised."""
    def peer(*arguments):
        done = subprocess.run([python, HERE / 'peer_arrays.py', *map(str, arguments)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    def case(function, *programs):
        def run(folder):
            if not python:
                raise skip('no soundfile and h5py here')
            for program in programs:
                if not program.exists():
                    raise skip('%s is not built' % program.name)
            function(folder, tfr, peer, *programs)
        return function.__name__.replace('_', '-'), run

    return [case(sounds), case(sounds_fed, feed), case(arrays)]
