"""What tfr says of a data set, held to what others read of it: cases for tests/interop/run.

The code that `tfr schema` emits is run as it stands, by TensorFlow, by DALI and by TensorFlow Metadata.
"""
import json
import pathlib
import random
import subprocess

import records

HERE = pathlib.Path(__file__).resolve().parent


def make(folder, rng):
    """Records of every form of feature; returns their features as Python has them."""
    rows = []
    for k in range(40):
        row = {'one': [rng.randrange(-5, 5)], 'four': [rng.random() for _ in range(4)], 'text': [b'caf\xc3\xa9 %d' % k],
               'ragged': [rng.randrange(1 << 40) for _ in range(rng.randrange(4))], 'pair': [b'a', b'b%d' % k],
               "a 'quoted' \\ name": [k], 'schl\u00fcssel': [1.5]}
        if rng.randrange(2):
            row['sometimes'] = [rng.random()]
        rows.append(row)
    lists = {int: records.int64_list, float: records.float_list, bytes: records.bytes_list}
    kinds = {'one': int, 'four': float, 'text': bytes, 'ragged': int, 'pair': bytes, 'sometimes': float,
             "a 'quoted' \\ name": int, 'schl\u00fcssel': float}
    data = b''.join(records.frame(records.example({name: lists[kinds[name]](values) for name, values in row.items()}))
                    for row in rows)
    (folder / 'a').write_bytes(data)
    return rows, kinds


def single(values):
    import numpy as np
    return [float(np.float32(v)) if isinstance(v, float) else v for v in values]


def peer(python, *arguments):
    done = subprocess.run([python, HERE / 'peer_schema.py', *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def schema_in_tensorflow(tfr, folder):
    import tensorflow as tf
    rows, kinds = make(folder, random.Random(1))
    found = {}
    exec(tfr('schema', '--emit', 'python', folder / 'a').decode(), found)
    serialized = [r.numpy() for r in tf.data.TFRecordDataset(str(folder / 'a'))]
    out = found['parse'](tf.constant(serialized))
    assert set(out) == set(kinds), set(out)
    for name in kinds:
        got = out[name].to_list() if isinstance(out[name], tf.RaggedTensor) else out[name].numpy().tolist()
        want = [single(row.get(name, [])) for row in rows]
        assert [g if isinstance(g, list) else [g] for g in got] == want, name
    assert isinstance(out['one'], tf.Tensor) and out['one'].shape == [len(rows)]
    assert out['four'].shape == [len(rows), 4]
    one = tf.io.parse_single_example(serialized[0], found['FEATURES'])
    assert one['text'].numpy() == rows[0]['text'][0]


def schema_in_dali(tfr, folder, python):
    rows, kinds = make(folder, random.Random(2))
    (folder / 'features.py').write_bytes(tfr('schema', '--emit', 'dali', folder / 'a'))
    tfr('index', folder / 'a')
    read = peer(python, 'dali', folder / 'features.py', folder / 'a', folder / 'a.idx')
    assert len(read) == len(rows)
    for got, row in zip(read, rows):
        assert set(got) == set(kinds) - {'pair'}
        for name, value in got.items():
            if kinds[name] is bytes:
                assert bytes.fromhex(value) == row[name][0]
            elif name in row:
                assert value == single(row[name]), (name, value, row[name])


def schema_in_metadata(tfr, folder, python):
    rows, kinds = make(folder, random.Random(3))
    (folder / 'schema.pbtxt').write_bytes(tfr('schema', '--emit', 'pbtxt', folder / 'a'))
    features = {f['name']: f for f in peer(python, 'metadata', folder / 'schema.pbtxt')}
    assert set(features) == set(kinds)
    for name, f in features.items():
        assert f['type'] == {int: 'INT', float: 'FLOAT', bytes: 'BYTES'}[kinds[name]]
        assert f['required'] == all(name in row for row in rows)
        lengths = {len(row[name]) for row in rows if name in row}
        assert f['shape'] == ([lengths.pop()] if f['required'] and len(lengths) == 1 else None)
        assert (f['shape'] is None) == (f['count'] is not None)


def cases(tfr, pythons, skip):
    """(name, function of a folder) each; `pythons` has those of DALI and of TensorFlow Metadata, or None."""
    def with_peer(function, name):
        def run(folder):
            if not pythons[name]:
                raise skip('%s is not installed' % name)
            function(tfr, folder, pythons[name])
        return run
    return [('schema-in-tensorflow', lambda folder: schema_in_tensorflow(tfr, folder)),
            ('schema-in-dali', with_peer(schema_in_dali, 'dali')),
            ('schema-in-metadata', with_peer(schema_in_metadata, 'metadata'))]
