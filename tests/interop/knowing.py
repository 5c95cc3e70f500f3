"""What tfr says of a data set, held to what others read of it: cases for tests/interop/run.

The code that `tfr schema` emits is run as it stands, by TensorFlow, by DALI and by TensorFlow Metadata; the figures of
`tfr stats` are those of NumPy over what TensorFlow parses.
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


def distributed(folder, rng):
    """Records of numbers of every size, words and bytes."""
    import numpy as np
    data = b''
    for k in range(4000):
        n = rng.randrange(5)
        row = {'wide': records.int64_list([rng.getrandbits(63) >> rng.randrange(63) for _ in range(n)]),
               'signed': records.int64_list([rng.randrange(-1000, 1000)]), 'label': records.int64_list([rng.randrange(7)]),
               'normal': records.float_list([rng.gauss(3, 100) for _ in range(3)]),
               'odd': records.float_list([rng.choice((float('nan'), float('inf'), float('-inf'), 0.0, 1e-40, 1e30))]),
               'word': records.bytes_list([b'w%d' % (rng.randrange(5000) if rng.random() < .7 else rng.randrange(3))]),
               'few': records.bytes_list([bytes([255, rng.randrange(9)])])}
        if k % 3 == 0:
            row['sometimes'] = records.float_list([rng.random()])
        data += records.frame(records.example(row))
    (folder / 'a').write_bytes(data)


def check_distribution(said, values, name):
    """`said` of `values`, a float64 array without NaN: exact, or within the stated error."""
    import numpy as np
    assert said['mean'] == 0 if not values.any() else abs(said['mean'] - values.mean()) <= 1e-12 * np.abs(values).mean(), name
    assert abs(said['deviation'] - values.std()) <= 1e-9 * max(values.std(), 1e-300), name
    for q, is_ in said['quantiles'].items():
        want = np.quantile(values, float(q), method='inverted_cdf')
        assert abs(is_ - want) <= abs(want) / 128 + 2.0 ** -132, (name, q, is_, want)


def stats_in_numpy(tfr, folder):
    """Every figure against NumPy's of what TensorFlow parses."""
    import collections
    import numpy as np
    import tensorflow as tf
    distributed(folder, random.Random(4))
    said = json.loads(tfr('stats', '--json', folder / 'a'))
    features = {f['name']: f for f in said['features']}
    types = {'int64': tf.int64, 'float': tf.float32, 'bytes': tf.string}
    serialized = [r.numpy() for r in tf.data.TFRecordDataset(str(folder / 'a'))]
    parsed = tf.io.parse_example(serialized, {n: tf.io.RaggedFeature(types[f['kind']]) for n, f in features.items()})
    sizes = np.array([len(r) for r in serialized], np.float64)
    assert (said['records'], said['record_bytes']['min'], said['record_bytes']['max']) == (len(sizes), sizes.min(), sizes.max())
    check_distribution(said['record_bytes'], sizes, 'records')
    for name, f in features.items():
        values = parsed[name].flat_values.numpy()
        lengths = parsed[name].row_lengths().numpy().astype(np.float64)
        assert f['values'] == len(values), name
        if name != 'sometimes':
            assert f['records'] == len(sizes) and f['empty'] == (lengths == 0).sum()
            check_distribution(f['length'], lengths, name)
        if f['kind'] == 'bytes':
            check_distribution(f['sizes'], np.array([len(v) for v in values], np.float64), name)
        else:
            finite = values[np.isfinite(values)]
            assert (f['numbers']['min'], f['numbers']['max']) == (finite.min(), finite.max()), name
            check_distribution(f['numbers'], finite.astype(np.float64), name)
        if f['kind'] == 'float':
            assert (f['numbers']['nan'], f['numbers']['infinite'], f['numbers']['minus_infinite']) == (
                np.isnan(values).sum(), np.isposinf(values).sum(), np.isneginf(values).sum()), name
        counts = collections.Counter(str(v) if f['kind'] == 'float' else v for v in values.tolist())
        if f['distinct_exact']:
            assert f['distinct'] == len(counts), name
            assert [t['count'] for t in f['top']] == sorted(counts.values(), reverse=True)[:10], name
        else:
            assert abs(f['distinct'] - len(counts)) <= 0.03 * len(counts), (name, f['distinct'], len(counts))
            for top in f['top']:
                is_ = counts[top['value'].encode() if f['kind'] == 'bytes' else top['value']]
                assert is_ <= top['count'] <= is_ + len(values) / 512, (name, top, is_)
    assert {t['value'] for t in features['word']['top'][:3]} == {'w0', 'w1', 'w2'}


def cases(tfr, pythons, skip):
    """(name, function of a folder) each; `pythons` has those of DALI and of TensorFlow Metadata, or None."""
    def with_peer(function, name):
        def run(folder):
            if not pythons[name]:
                raise skip('%s is not installed' % name)
            function(tfr, folder, pythons[name])
        return run
    return [('stats-in-numpy', lambda folder: stats_in_numpy(tfr, folder)),
            ('schema-in-tensorflow', lambda folder: schema_in_tensorflow(tfr, folder)),
            ('schema-in-dali', with_peer(schema_in_dali, 'dali')),
            ('schema-in-metadata', with_peer(schema_in_metadata, 'metadata'))]
