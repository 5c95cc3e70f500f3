"""What tfr says of a data set, held to what others read of it: cases for tests/interop/run.

The code that `tfr schema` emits is run as it stands, by TensorFlow, by DALI and by TensorFlow Metadata; the figures of
`tfr stats` are those of NumPy over what TensorFlow parses.
"""
import json
import math
import os
import pathlib
import random
import subprocess

import records

HERE = pathlib.Path(__file__).resolve().parent

# Names that code must quote: each is an int64 of every record.
HOSTILE = ('', "a 'quoted' \\ name", '"', '\\', '\\n', 'new\nline', 'return\r', 'tab\t', 'nul\0' + '7', '\x7f', '\u2028',
           '\U0001f600', '{x}%s', '# no comment', '<script>', "'" * 3)


def make(folder, rng):
    """Records of every form of feature; returns their features as Python has them."""
    rows = []
    for k in range(40):
        row = {'one': [rng.randrange(-5, 5)], 'four': [rng.random() for _ in range(4)], 'text': [b'caf\xc3\xa9 %d' % k],
               'ragged': [rng.randrange(1 << 40) for _ in range(rng.randrange(4))], 'pair': [b'a', b'b%d' % k],
               **{name: [k] for name in HOSTILE}, 'schl\u00fcssel': [1.5]}
        if rng.randrange(2):
            row['sometimes'] = [rng.random()]
        if rng.randrange(2):
            row['two'] = [rng.randrange(9), rng.randrange(9)]
        rows.append(row)
    lists = {int: records.int64_list, float: records.float_list, bytes: records.bytes_list}
    kinds = {'one': int, 'four': float, 'text': bytes, 'ragged': int, 'pair': bytes, 'sometimes': float, 'two': int,
             **{name: int for name in HOSTILE}, 'schl\u00fcssel': float}
    data = b''.join(records.frame(records.example({name: lists[kinds[name]](values) for name, values in row.items()}))
                    for row in rows)
    (folder / 'a').write_bytes(data)
    return rows, kinds


def single(values):
    import numpy as np
    return [float(np.float32(v)) if isinstance(v, float) else v for v in values]


def peer(python, *arguments, module=''):
    done = subprocess.run([python, HERE / 'peer_schema.py', *map(str, arguments)], capture_output=True, text=True,
                          env={**os.environ, 'PYTHONPATH': str(module)})
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
    (folder / 'none').write_bytes(records.frame(records.example({'unset': b''})))
    exec(tfr('schema', '--emit', 'python', folder / 'none').decode(), found)
    assert found['parse'](tf.constant([b''])) == {}


def schema_in_dali(tfr, folder, python):
    rows, kinds = make(folder, random.Random(2))
    (folder / 'features.py').write_bytes(tfr('schema', '--emit', 'dali', folder / 'a'))
    tfr('index', folder / 'a')
    read = peer(python, 'dali', folder / 'features.py', folder / 'a', folder / 'a.idx')
    assert len(read) == len(rows)
    for got, row in zip(read, rows):
        assert set(got) == set(kinds) - {'pair', 'sometimes', 'two'}
        for name, value in got.items():
            if kinds[name] is bytes:
                assert bytes.fromhex(value) == row[name][0]
            else:
                assert value == single(row[name]), (name, value)


def make_epoch(folder, rng, images):
    """Three shards of records with an id, with or without images of one colour each; returns them by their id."""
    import io
    from PIL import Image
    rows = {}
    for shard in range(3):
        data = b''
        for k in range(11 + shard):
            row = {'id': len(rows), 'four': [rng.random() for _ in range(4)], 'text': b'caf\xc3\xa9 %d' % k,
                   'ragged': [rng.randrange(1 << 40) for _ in range(rng.randrange(4))], 'colour': [rng.randrange(256) for _ in range(3)]}
            if rng.randrange(2):
                row['sometimes'] = rng.random()
            features = {'id': records.int64_list([row['id']]), 'four': records.float_list(row['four']),
                        'text': records.bytes_list([row['text']]), 'ragged': records.int64_list(row['ragged'])}
            if 'sometimes' in row:
                features['sometimes'] = records.float_list([row['sometimes']])
            if images:
                file = io.BytesIO()
                Image.new('RGB', (rng.randrange(5, 40), rng.randrange(5, 40)), tuple(row['colour'])).save(file, 'PNG')
                features['image/encoded'] = records.bytes_list([file.getvalue()])
            rows[row['id']] = row
            data += records.frame(records.example(features))
        (folder / ('set-%05d-of-00003' % shard)).write_bytes(data)
    return rows


def check_epoch(tfr, folder, form, run, compression=()):
    """The emitted function gives every record once, in an order of its own, with all values that its reader can have."""
    for images in False, True:
        rows = make_epoch(folder, random.Random(8 + images), images)
        if compression:
            tfr('cat', '-f', '-q', *compression, '-o', folder / 'packed@2', folder / 'set@3')
        name = 'packed' if compression else 'set'
        (folder / 'code.py').write_bytes(tfr('schema', '--emit', form, folder / (name + '@*')))
        if not compression:
            tfr('index', '-q', '-f', folder / (name + '@*'))
        got = run(folder / 'code.py', folder / (name + '-*'))
        assert len(got) >= len(rows)
        got = got[:len(rows)]      # DALI fills its last batch from the next epoch
        ids = [int(row['id'][0]) for row in got]
        assert sorted(ids) == sorted(rows) and ids != sorted(ids), ids
        for row in got:
            want = rows[int(row['id'][0])]
            assert row['four'] == single(want['four']) and row['ragged'] == want['ragged']
            assert bytes.fromhex(row['text']) == want['text']
            if form != 'dali':
                assert row['sometimes'] == single([want['sometimes']] if 'sometimes' in want else [])
            if images:
                assert sorted(row['image/encoded']['shape']) == [3, 224, 224]
                assert all(abs(a - b) < 1.5 for a, b in zip(row['image/encoded']['mean'], want['colour']))


def epoch_in_tensorflow(tfr, folder):
    def run(code, pattern):
        found = {}
        exec(code.read_text(), found)
        rows = []
        for batch in found['batches'](str(pattern), batch_size=7, shuffle_buffer=16):
            for k in range(len(batch['id'])):
                row = {name: v[k].numpy() for name, v in batch.items()}
                pixels = row.pop('image/encoded', None)
                row = {name: v.hex() if isinstance(v, bytes) else v.reshape(-1).tolist() for name, v in row.items()}
                if pixels is not None:
                    row['image/encoded'] = {'shape': pixels.shape, 'mean': pixels.mean(axis=(0, 1)).tolist()}
                rows.append(row)
        return rows
    for compression in (), ('-z', 'gzip'), ('-z', 'zlib'):
        check_epoch(tfr, folder, 'python', run, compression)
    make_sequences(folder, random.Random(9))
    found = {}
    exec(tfr('schema', '--emit', 'python', folder / 'a').decode(), found)
    ids = [int(i) for context, _, _ in found['batches'](str(folder / 'a'), batch_size=7) for i in context['id'].numpy()]
    assert sorted(ids) == list(range(60))


def epoch_in_dali(tfr, folder, python):
    check_epoch(tfr, folder, 'dali', lambda code, pattern: peer(python, 'epoch', code, pattern))


def epoch_in_torch(tfr, folder, python, module):
    def run(code, pattern):
        return peer(python, 'epoch', code, pattern, module=module)

    for compression in (), ('-z', 'gzip'), ('-z', 'zlib'):
        check_epoch(tfr, folder, 'torch', run, compression)
    rows, kinds = make(folder, random.Random(4))
    (folder / 'code.py').write_bytes(tfr('schema', '--emit', 'torch', folder / 'a'))
    got = run(folder / 'code.py', folder / 'a')
    assert len(got) == len(rows) and set(got[0]) == set(kinds)


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
    check_against(tfr, folder)


def check_against(tfr, folder):
    """The set has the schema that was emitted from it, and that TensorFlow Metadata wrote again; an empty Example has not."""
    (folder / 'empty').write_bytes(records.frame(b''))
    for form in 'schema.pbtxt', 'schema.pbtxt.line':
        assert tfr('check', '-q', '--schema', folder / form, folder / 'a') == b''
        found = tfr('check', '-q', '--schema', folder / form, folder / 'empty', status=1)
        assert b': absent, and the schema requires it' in found, found


def make_sequences(folder, rng):
    """SequenceExamples of every form of feature list; returns their lists as Python has them, absent ones left out."""
    put = {'pos': lambda: [rng.gauss(0, 3) for _ in range(3)], 'label': lambda: [rng.randrange(-9, 9)],
           'words': lambda: [b'w%d' % rng.randrange(30) for _ in range(rng.randrange(4))],
           'sometimes': lambda: [rng.getrandbits(40)], 'holes': lambda: [rng.random()] if rng.randrange(2) else None,
           "a 'quoted' \\ name": lambda: [b'']}
    kinds = {'pos': float, 'label': int, 'words': bytes, 'sometimes': int, 'holes': float, "a 'quoted' \\ name": bytes}
    lists = {int: records.int64_list, float: records.float_list, bytes: records.bytes_list}
    rows, data = [], b''
    for k in range(60):
        row = {name: [one() for _ in range(rng.randrange(6))] for name, one in put.items()
               if name != 'sometimes' or rng.randrange(2)}
        rows.append({'id': k, 'lists': row})
        data += records.frame(
            records.field(1, records.entry(b'id', records.int64_list([k]))) + records.field(2, b''.join(
                records.entry(name.encode(), b''.join(
                    records.field(1, b'' if step is None else lists[kinds[name]](step)) for step in steps))
                for name, steps in row.items())))
    (folder / 'a').write_bytes(data)
    return rows, kinds


def unpadded(lists, lengths, name, tf):
    """The steps of each record, whether they are ragged or padded."""
    value = lists[name]
    if isinstance(value, tf.RaggedTensor):
        return value.to_list()
    steps = [row[:n] for row, n in zip(value.numpy().tolist(), lengths[name].numpy())]
    return [[step if isinstance(step, list) else [step] for step in row] for row in steps]


def lists_in_tensorflow(tfr, folder):
    """The code as it stands gives every value of every step back; those of one length are padded, the others ragged."""
    import tensorflow as tf
    rows, kinds = make_sequences(folder, random.Random(5))
    found = {}
    exec(tfr('schema', '--emit', 'python', folder / 'a').decode(), found)
    serialized = [r.numpy() for r in tf.data.TFRecordDataset(str(folder / 'a'))]
    context, lists, lengths = found['parse'](tf.constant(serialized))
    assert context['id'].numpy().tolist() == [row['id'] for row in rows]
    assert set(lists) == set(kinds) and set(lengths) >= {'pos', 'label', "a 'quoted' \\ name"}
    for name in kinds:
        want = [[single(step or []) for step in row['lists'].get(name, [])] for row in rows]
        assert unpadded(lists, lengths, name, tf) == want, name
    assert lists['pos'].shape[2:] == [3] and len(lists['label'].shape) == 2


def lists_in_numpy(tfr, folder):
    """Figures of feature lists against NumPy's, and merging."""
    import numpy as np
    rows, kinds = make_sequences(folder, random.Random(6))
    said = json.loads(tfr('stats', '--json', folder / 'a'))
    features = {(f['name'], f['kind']): f for f in said['feature_lists']}
    for name, kind in kinds.items():
        said_name = name.replace('\\', '\\\\')
        f = features[said_name, {int: 'int64', float: 'float', bytes: 'bytes'}[kind]]
        # A list in which no step has a kind is of none.
        of = [row['lists'][name] for row in rows if any(s is not None for s in row['lists'].get(name, []))]
        steps = np.array([len(s) for s in of], np.float64)
        lengths = np.array([len(step or []) for s in of for step in s], np.float64)
        values = [v for s in of for step in s for v in single(step or [])]
        assert (f['records'], f['all_steps'], f['values'], f['empty']) == (len(of), steps.sum(), len(values), 0), name
        check_distribution(f['steps'], steps, name)
        check_distribution(f['length'], lengths, name)
        if kind is bytes:
            check_distribution(f['sizes'], np.array([len(v) for v in values], np.float64), name)
        else:
            bounds = [f['numbers']['min'], f['numbers']['max']]
            assert (single(bounds) if kind is float else bounds) == [min(values), max(values)], name
            check_distribution(f['numbers'], np.array(values, np.float64), name)
        assert f['distinct_exact'] and f['distinct'] == len(set(values)), name
        rest = [row['lists'][name] for row in rows if name in row['lists'] and row['lists'][name] not in of]
        assert features.get((said_name, 'unset'), {'records': 0})['records'] == len(rest), name


def lists_in_metadata(tfr, folder, python):
    rows, kinds = make_sequences(folder, random.Random(7))
    (folder / 'schema.pbtxt').write_bytes(tfr('schema', '--emit', 'pbtxt', folder / 'a'))
    features = {f['name']: f for f in peer(python, 'metadata', folder / 'schema.pbtxt')}
    assert set(features) == {'id', '##SEQUENCE##'} and features['##SEQUENCE##']['type'] == 'STRUCT'
    lists = {f['name']: f for f in features['##SEQUENCE##']['struct']}
    assert set(lists) == set(kinds)
    for name, f in lists.items():
        of = [row['lists'][name] for row in rows if name in row['lists']]
        steps = [len(s) for s in of]
        values = [len(step or []) for s in of for step in s if any(t is not None for t in s)]
        assert f['type'] == {int: 'INT', float: 'FLOAT', bytes: 'BYTES'}[kinds[name]]
        assert f['required'] == (len(of) == len(rows))
        assert f['counts'] == [[min(steps), max(steps)], [min(values), max(values)]], name
    check_against(tfr, folder)


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


def random_sides(rng, n):
    """Two lists of Examples as TensorFlow has them, which have most in common."""
    import tensorflow as tf

    def example(k, label, words, x):
        f = {'id': tf.train.Feature(int64_list=tf.train.Int64List(value=[k])),
             'label': tf.train.Feature(int64_list=tf.train.Int64List(value=[label])),
             'word': tf.train.Feature(bytes_list=tf.train.BytesList(value=words))}
        if x is not None:
            f['x'] = tf.train.Feature(float_list=tf.train.FloatList(value=[x]))
        return tf.train.Example(features=tf.train.Features(feature=dict(rng.sample(sorted(f.items()), len(f)))))

    def draw(k, classes):
        return k, rng.randrange(classes), [b'w%d' % rng.randrange(9) for _ in range(rng.randrange(3))], rng.choice((None, rng.gauss(0, 5)))

    rows = [draw(rng.randrange(n), 7) for _ in range(n)]
    other = [draw(r[0], 9) if rng.random() < .1 else r for r in rows if rng.random() < .9] + [draw(n + k, 3) for k in range(n // 10)]
    rng.shuffle(other)
    return [[example(*r) for r in side] for side in (rows, other)]


def diff_in_tensorflow(tfr, folder):
    """Records by content, by features and by key, overlap, and distances: against Counters and NumPy over what TensorFlow reads."""
    import collections
    import numpy as np
    import tensorflow as tf
    Counter = collections.Counter
    sides = random_sides(random.Random(5), 3000)
    for name, side in zip('ab', sides):
        with tf.io.TFRecordWriter(str(folder / name), 'GZIP' if name == 'b' else '') as out:
            for e in side:
                out.write(e.SerializeToString())
    read = [[bytes(r) for r in tf.data.TFRecordDataset(str(folder / n), c).as_numpy_iterator()] for n, c in (('a', ''), ('b', 'GZIP'))]

    def diff(*words):
        return json.loads(tfr('diff', '--json', *words, folder / 'a', folder / 'b', status=1))

    def features(record):
        """What an Example holds, whatever order it is written in."""
        e = tf.train.Example.FromString(record)
        return frozenset((k, v.WhichOneof('kind'), tuple(getattr(v, v.WhichOneof('kind')).value)) for k, v in e.features.feature.items())

    held = [[features(r) for r in side] for side in read]
    for words, lists in (['--only', 'records'], read), (['--only', 'records', '--features'], held):
        counts = [Counter(side) for side in lists]
        got = diff(*words)['records']
        both = sum((counts[0] & counts[1]).values())
        assert (got['both'], got['only_a'], got['only_b']) == (both, len(lists[0]) - both, len(lists[1]) - both), (words, got)
    keys = [[dict((n, v) for n, _, v in f)['id'] for f in side] for side in held]
    groups = [collections.defaultdict(Counter) for _ in sides]
    for group, side, names in zip(groups, held, keys):
        for f, key in zip(side, names):
            group[key][f] += 1
    both = changed = 0
    for key in set(groups[0]) | set(groups[1]):
        a, b = groups[0][key], groups[1][key]
        same = sum((a & b).values())
        both += same
        changed += min(sum(a.values()), sum(b.values())) - same
    got = diff('--key', 'id', '--features')
    r = got['records']
    assert (r['both'], r['changed'], r['written_differently']) == (both, changed, 0), r
    assert [r['both'] + r['changed'] + r['only_' + s] for s in 'ab'] == [len(side) for side in read]
    assert [*r['repeated_keys'].values()] == [sum(n > 1 for n in Counter(side).values()) for side in keys]
    shared = set(keys[0]) & set(keys[1])
    o = diff('--overlap', '--key', 'id')['overlap']
    assert (o['shared'], o['records_a'], o['records_b']) == (len(shared), *[sum(k in shared for k in side) for side in keys])
    # Distances, of what TensorFlow parses.
    spec = {'label': tf.int64, 'word': tf.string, 'x': tf.float32}
    parsed = [tf.io.parse_example(side, {n: tf.io.RaggedFeature(t) for n, t in spec.items()}) for side in read]
    said = {f['feature']: {a['distribution']: a for a in f['aspects']} for f in got['values']['features']}

    def ks(a, b):
        at = np.concatenate([a, b])
        return max(abs(np.searchsorted(np.sort(a), at, 'right') / len(a) - np.searchsorted(np.sort(b), at, 'right') / len(b)))

    def most(a, b):
        shares = [{k: n / len(side) for k, n in Counter(side).items()} for side in (a, b)]
        return max(abs(shares[0].get(k, 0) - shares[1].get(k, 0)) for k in set(a) | set(b))

    values = {n: [p[n].flat_values.numpy() for p in parsed] for n in spec}
    lengths = {n: [p[n].row_lengths().numpy() for p in parsed] for n in spec}
    for name in spec:
        assert abs(said[name]['length']['distance'] - ks(*[v[v >= 0] for v in lengths[name]])) < 1e-9 or name == 'x', name
    assert abs(said['label']['numbers']['distance'] - ks(*values['label'])) < 1e-12
    assert abs(said['label']['values']['distance'] - most(*[v.tolist() for v in values['label']])) < 1e-12
    assert abs(said['word']['values']['distance'] - most(*[v.tolist() for v in values['word']])) < 1e-12
    # A bin: a sign, a power of two, and the next six bits.
    bins = [Counter((m < 0, e, int(abs(m) * 128)) for m, e in map(math.frexp, side.tolist())) for side in values['x']]
    exact, fullest = ks(*values['x']), max(max(b.values()) / sum(b.values()) for b in bins)
    assert fullest < 0.02 and exact - fullest <= said['x']['numbers']['distance'] <= exact + 1e-12, (exact, said['x'])


def cases(tfr, pythons, skip):
    """(name, function of a folder) each; `pythons` has those of DALI and of TensorFlow Metadata, or None."""
    def with_peer(function, name):
        def run(folder):
            if not pythons[name]:
                raise skip('%s is not installed' % name)
            function(tfr, folder, pythons[name])
        return run
    module = pythons['tfr'].resolve().parent.parent / 'python'
    return [('stats-in-numpy', lambda folder: stats_in_numpy(tfr, folder)),
            ('diff-in-tensorflow', lambda folder: diff_in_tensorflow(tfr, folder)),
            ('schema-in-tensorflow', lambda folder: schema_in_tensorflow(tfr, folder)),
            ('lists-in-tensorflow', lambda folder: lists_in_tensorflow(tfr, folder)),
            ('lists-in-numpy', lambda folder: lists_in_numpy(tfr, folder)),
            ('lists-in-metadata', with_peer(lists_in_metadata, 'metadata')),
            ('epoch-in-tensorflow', lambda folder: epoch_in_tensorflow(tfr, folder)),
            ('epoch-in-dali', with_peer(epoch_in_dali, 'dali')),
            ('epoch-in-torch', with_peer(lambda tfr, folder, python: epoch_in_torch(tfr, folder, python, module), 'torch')),
            ('schema-in-dali', with_peer(schema_in_dali, 'dali')),
            ('schema-in-metadata', with_peer(schema_in_metadata, 'metadata'))]
