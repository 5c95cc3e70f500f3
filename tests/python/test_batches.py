"""batches: columns, order, memory, faults."""
import collections.abc
import gc
import importlib.util
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import threading
import unittest
import warnings
from unittest import mock

import arrow_reader
import tfrkit
from support import Case, HAVE_NUMPY, SANITIZED, framed, in_child, needs_numpy, resident, taken_by_threads

if HAVE_NUMPY:
    import numpy

FEATURES = {'id': 'int64', 'two': 'float32[2]', 'ids': 'int64[]', 'pad': 'int64[*]', 'name': 'bytes', 'pair': 'bytes[2]',
            'words': 'bytes[]', 'wide': 'bytes[*]', 'x': 'float[]'}


def record(k):
    return {'id': k, 'two': [k, k + 0.5], 'ids': list(range(k % 4)), 'pad': list(range(k % 3)), 'name': b'n%d' % k,
            'pair': [b'a', b'b%d' % k], 'words': [b'%d' % i for i in range(k % 3)], 'wide': [b'w'] * (k % 2), 'x': [k / 2] * (k % 5)}


def payload(k):
    return tfrkit.encode_example({name: value for name, value in record(k).items() if value != []})


def rows_of(batch):
    """The rows of a batch without NumPy, by Arrow."""
    columns = arrow_reader.read_batch(batch)
    return [dict(zip(columns, row)) for row in zip(*columns.values())]


class Base(Case):
    def make(self, count, name='a.tfrecord', **options):
        path = self.dir / name
        with tfrkit.Writer(path, **options) as writer:
            for k in range(count):
                writer.write(payload(k))
        return path

    def ids(self, *arguments, **options):
        got = []
        for batch in tfrkit.batches(*arguments, **options):
            got.append(memoryview(batch.tensors('id')[0]).tolist())
        return [[value for row in rows for value in row] for rows in got]


class Payloads(Base):
    """parse: one batch of payloads in memory."""

    def test_is_the_batch_of_a_file_with_these_records(self):
        path = self.make(25)
        for features in FEATURES, {'ids': 'int64[*]', 'words': 'bytes[*]', 'x': 'float[*]'}:
            wanted = rows_of(next(tfrkit.batches(path, features, 100)))
            self.assertEqual(rows_of(tfrkit.parse(tfrkit.Reader(path), features)), wanted)
            self.assertEqual(len(wanted), 25)

    def test_parts_outlive_the_batch(self):
        names = tfrkit.parse(map(payload, range(9)), FEATURES)['name']
        gc.collect()
        self.assertEqual(names.tolist(), [b'n%d' % k for k in range(9)])

    def test_of_nothing(self):
        self.assertEqual(rows_of(tfrkit.parse([], FEATURES)), [])
        got = rows_of(tfrkit.parse([b'', tfrkit.encode_example({'other': 1})], {'ids': 'int64[]', 'words': 'bytes[]', 'wide': 'bytes[*]'}))
        self.assertEqual(got, [{'ids': [], 'words': [], 'wide': []}] * 2)

    def test_faults_name_the_payload(self):
        good = [payload(k) for k in range(9)]
        for bad, text in (b'x', 'not an Example'), (tfrkit.encode_example({'two': [1.0, 2.0]}), "'id' is missing"):
            with self.assertRaisesRegex(tfrkit.DataError, text + '.* record 7 of the batch') as caught:
                tfrkit.parse([*good[:7], bad, *good[7:]], FEATURES)
            self.assertEqual(caught.exception.record, 7)
        with self.assertRaises(tfrkit.DataError) as caught:
            tfrkit.parse(good, {'tow': 'float[2]'})
        self.assertEqual(caught.exception.hint, "Did you mean 'two'?")
        for wrong in [1], ['text'], [bytearray(good[0])]:
            with self.assertRaises(TypeError):
                tfrkit.parse(wrong, FEATURES)
        for features in {}, {'id': 'int65'}, {'\0': 'int64'}:
            with self.assertRaises(tfrkit.UsageError):
                tfrkit.parse(good, features)

    @unittest.skipIf(SANITIZED, 'the sanitizer keeps freed memory')
    def test_memory_is_flat(self):
        good = [payload(k) for k in range(2000)]

        def use():
            tfrkit.parse(good, FEATURES).__arrow_c_array__()
            with self.assertRaises(tfrkit.DataError):
                tfrkit.parse([*good, b'x'], FEATURES)

        for _ in range(20):
            use()
        before = resident()
        for _ in range(60):
            use()
        self.assertLess(resident() - before, 4 << 20)


class Columns(Base):
    def test_each_form_without_numpy(self):
        got = list(tfrkit.batches(self.make(25), FEATURES, 10))
        self.assertEqual([batch.records for batch in got], [10, 10, 5])
        self.assertEqual([(batch.index, batch.epoch) for batch in got], [(0, 0), (1, 0), (2, 0)])
        for batch in got:
            self.assertIsInstance(batch, collections.abc.Mapping)
            self.assertEqual(list(batch), list(FEATURES))
            self.assertEqual(batch['name'].tolist(), [b'n%d' % k for k in range(10 * batch.index, 10 * batch.index + batch.records)])
            self.assertEqual(batch['pair'][1], [b'a', b'b%d' % (10 * batch.index + 1)])
            self.assertEqual(batch['name'][-1:], [b'n%d' % (10 * batch.index + batch.records - 1)])
            self.assertEqual(batch['wide'][:2], [[b''], [b'w']])
            self.assertRaises(IndexError, lambda: batch['name'][batch.records])
            self.assertRaises(KeyError, lambda: batch['absent'])
        with self.assertRaisesRegex(TypeError, 'pickle'):
            __import__('pickle').dumps(got[0])

    def test_arrow_has_the_same_rows(self):
        for batch in tfrkit.batches(self.make(23), FEATURES, 10):
            for k, row in enumerate(rows_of(batch), 10 * batch.index):
                want = record(k)
                self.assertEqual(row['pad'][:len(want['pad'])], want['pad'])
                self.assertFalse(any(row['pad'][len(want['pad']):]))
                for name in set(FEATURES) - {'pad', 'wide'}:
                    self.assertEqual(row[name], want[name], name)

    def test_a_missing_numpy_names_its_package(self):
        batch = next(tfrkit.batches(self.make(1), FEATURES, 1))
        with mock.patch.dict(sys.modules, numpy=None), mock.patch('tfrkit.columns._asarray', None), mock.patch('tfrkit.example._numpy', None):
            for use in lambda: batch['id'], batch['name'].to_numpy, lambda: tfrkit.Example(payload(0))['id']:
                self.assertRaisesRegex(ModuleNotFoundError, 'pip install numpy', use)

    @needs_numpy
    def test_arrays(self):
        batch = next(tfrkit.batches(self.make(10), FEATURES, 10))
        self.assertEqual((batch['id'].dtype, batch['id'].tolist()), (numpy.int64, list(range(10))))
        self.assertEqual((batch['two'].dtype, batch['two'].shape), (numpy.float32, (10, 2)))
        self.assertEqual(batch['two'].tolist(), [[k, k + 0.5] for k in range(10)])
        self.assertEqual(batch['pad'].tolist(), [(list(range(k % 3)) + [0, 0])[:2] for k in range(10)])
        for name in 'ids', 'words', 'x':
            self.assertEqual(batch[name].tolist(), [record(k)[name] for k in range(10)])
        self.assertEqual(batch['ids'][3].tolist(), [0, 1, 2])
        self.assertEqual(batch['ids'].row_splits.tolist(), [0, 0, 1, 3, 6, 6, 7, 9, 12, 12, 13])
        self.assertEqual(batch['pair'].to_numpy()[9].tolist(), [b'a', b'b9'])
        self.assertEqual({name: len(column) for name, column in batch.items()}, dict.fromkeys(FEATURES, 10))
        self.assertEqual(next(tfrkit.batches(self.dir, {'id': 'int64[1]'}, 3))['id'].shape, (3, 1))

    @needs_numpy
    def test_columns_are_views_that_own_their_batch(self):
        kept, want = [], []
        for batch in tfrkit.batches(self.make(2000), FEATURES, 16, epochs=3):
            self.assertTrue(numpy.shares_memory(batch['two'], batch['two']))
            self.assertTrue(batch['two'].flags.aligned and batch['two'].flags.writeable)
            if batch.index % 3 == 0:
                kept.append((batch['id'], batch['ids'].values, batch['name'], batch.__arrow_c_array__()))
                want.append((batch['id'].tolist(), batch['ids'].values.tolist(), batch['name'].tolist()))
        del batch
        gc.collect()
        self.assertEqual([(a.tolist(), b.tolist(), c.tolist()) for a, b, c, _ in kept], want)
        for (_, _, _, capsules), (ids, _, _) in zip(kept, want):
            schema, array = arrow_reader.moved(capsules)
            self.assertEqual(arrow_reader.values(schema, array)['id'], ids)
            arrow_reader.release(array, schema)

    @needs_numpy
    def test_dlpack(self):
        batch = next(tfrkit.batches(self.make(10), FEATURES, 10))
        for name in 'id', 'two', 'pad', 'ids', 'words':
            for tensor in batch.tensors(name):
                self.assertEqual(tensor.__dlpack_device__(), (1, 0))
                got = numpy.from_dlpack(tensor)
                self.assertTrue(numpy.shares_memory(got, numpy.asarray(tensor)))
                self.assertEqual((got.dtype.name, got.shape), (tensor.dtype, tensor.shape))
                self.assertEqual(got.tolist(), memoryview(tensor).tolist())
                tensor.__dlpack__(), tensor.__dlpack__(max_version=(1, 0), dl_device=(1, 0), copy=False)
        del batch, tensor
        gc.collect()
        self.assertEqual(got.tolist(), [0, 0, 1, 3, 3, 4, 6, 6, 7, 9, 9])

    def test_dlpack_refusals(self):
        tensor, = next(tfrkit.batches(self.make(10), FEATURES, 10)).tensors('two')
        for options in {'stream': 1}, {'copy': True}, {'dl_device': (2, 0)}:
            self.assertRaises(BufferError, tensor.__dlpack__, **options)
        self.assertRaises(TypeError, type(tensor))

    def test_libraries_take_the_stream(self):
        missing = [name for name in ('pyarrow', 'polars', 'duckdb', 'pandas') if not importlib.util.find_spec(name)]
        if missing:
            self.skipTest('not installed: ' + ', '.join(missing))
        import duckdb
        import polars
        import pyarrow
        import pyarrow.parquet
        path = self.make(100)
        stream = pyarrow.RecordBatchReader.from_stream(tfrkit.batches(path, FEATURES, 16))
        with pyarrow.parquet.ParquetWriter(self.dir / 'a.parquet', stream.schema) as writer:
            for batch in stream:
                batch.validate(full=True)
                writer.write_batch(batch)
        table = pyarrow.parquet.read_table(self.dir / 'a.parquet')
        self.assertEqual(table['ids'].to_pylist(), [record(k)['ids'] for k in range(100)])
        self.assertEqual(table['pair'].to_pylist(), [record(k)['pair'] for k in range(100)])
        frame = polars.DataFrame(tfrkit.batches(path, {'id': 'int64', 'x': 'float[]'}, 16))
        self.assertEqual(frame['id'].sum(), sum(range(100)))
        examples = pyarrow.RecordBatchReader.from_stream(tfrkit.batches(path, {'id': 'int64'}, 16))   # noqa: F841
        self.assertEqual(duckdb.sql('select sum(id) from examples').fetchall()[0][0], sum(range(100)))
        self.assertEqual(pyarrow.table(tfrkit.batches(path, {'id': 'int64'}, 16)).to_pandas()['id'].sum(), sum(range(100)))

    def test_a_child_that_is_moved_out_of_an_array_keeps_its_values(self):
        for make in lambda path: next(tfrkit.batches(path, FEATURES, 500)), lambda path: tfrkit.parse(tfrkit.Reader(path), FEATURES):
            want = arrow_reader.read_batch(make(self.make(500, overwrite=True)))
            capsules = make(self.dir / 'a.tfrecord').__arrow_c_array__()
            schema, array = arrow_reader.moved(capsules)
            children = [arrow_reader.taken(array.children[i]) for i in range(len(FEATURES))]
            inner = arrow_reader.taken(children[2].children[0])
            arrow_reader.release(array, children.pop(2))
            gc.collect()
            other = [make(self.dir / 'a.tfrecord') for _ in range(3)]   # takes memory that was freed
            got = [arrow_reader.values(schema.children[i + (i > 1)].contents, child) for i, child in enumerate(children)]
            self.assertEqual(got, [column for name, column in want.items() if name != 'ids'])
            self.assertEqual(arrow_reader.values(schema.children[2].contents.children[0].contents, inner), sum(want['ids'], []))
            arrow_reader.release(schema, inner, *children)
            del other

    def test_text_is_strings_for_arrow(self):
        values = ['', 'ä', 'b', '\U0001f600']
        forms = {'one': 'utf8', 'two': 'utf8[2]', 'ragged': 'utf8[]', 'pad': 'utf8[*]', 'raw': 'bytes'}
        payloads = [tfrkit.encode_example({'one': each, 'two': [each, 'x'], 'ragged': [each] * k or [b''], 'pad': [each] * (k + 1), 'raw': each})
                    for k, each in enumerate(values)]
        batch = tfrkit.parse(payloads, forms)
        got = arrow_reader.read_batch(batch)
        self.assertEqual(got['one'], values)
        self.assertEqual(got['two'], [[each, 'x'] for each in values])
        self.assertEqual(got['pad'], [[each] * (k + 1) + [''] * (3 - k) for k, each in enumerate(values)])
        self.assertEqual(got['ragged'][1:], [[each] * k for k, each in enumerate(values)][1:])
        self.assertEqual((got['raw'], batch['one'].tolist()), ([each.encode() for each in values],) * 2)
        path = self.file('text', b''.join(map(framed, payloads)))
        self.assertEqual(arrow_reader.read_batch(next(tfrkit.batches(path, ['one:utf8'], 9))), {'one': values})
        # Together they are UTF-8, each alone is not.
        for bad in [b'\xff', b'x'], [b'\xc3', b'\xa4']:
            batch = tfrkit.parse([tfrkit.encode_example({'t': each}) for each in bad], {'t': 'utf8'})
            with self.assertRaisesRegex(tfrkit.DataError, "feature 't' has a value that is not UTF-8"):
                batch.__arrow_c_array__()
        path = self.file('bad', framed(tfrkit.encode_example({'t': b'\xff'})))
        got, error = arrow_reader.read_stream(tfrkit.batches(path, {'t': 'utf8'}, 9).__arrow_c_stream__())
        self.assertEqual((got, error), ([], "feature 't' has a value that is not UTF-8"))

    def test_padding_values(self):
        forms = {'pad': 'int64[*]', 'wide': 'bytes[*]', 'x': 'float[*]', 'ids': 'int64[*]'}
        values = {'pad': -1, 'wide': 'é\0', 'x': 0.5}
        path = self.make(20)
        for batch in next(tfrkit.batches(path, forms, 20, padding_values=values)), \
                tfrkit.parse(tfrkit.Reader(path), forms, padding_values=values):
            for k, row in enumerate(rows_of(batch)):
                for name, fill, width in ('pad', -1, 2), ('wide', 'é\0'.encode(), 1), ('x', 0.5, 4), ('ids', 0, 3):
                    self.assertEqual(row[name], record(k)[name] + [fill] * (width - len(record(k)[name])), name)
        for wrong, error in ({'id': 1}, tfrkit.UsageError), ({'pad': 0.5}, TypeError), ({'pad': 1 << 63}, OverflowError), ({'wide': 1}, TypeError):
            self.assertRaises(error, tfrkit.batches, path, {'id': 'int64', **forms}, 2, padding_values=wrong)

    def test_a_stream_of_arrow(self):
        path = self.make(40)
        got, error = arrow_reader.read_stream(tfrkit.batches(path, FEATURES, 16).__arrow_c_stream__())
        self.assertIsNone(error)
        self.assertEqual([k for batch in got for k in batch['id']], list(range(40)))
        data = path.read_bytes()
        got, error = arrow_reader.read_stream(tfrkit.batches(self.file('b', data[:-1]), FEATURES, 16).__arrow_c_stream__())
        self.assertEqual([k for batch in got for k in batch['id']], list(range(39)))
        self.assertRegex(error, "truncated record.* in '%s', record 39" % (self.dir / 'b'))
        # Dropped without being read.
        tfrkit.batches(path, FEATURES, 16).__arrow_c_stream__()
        next(tfrkit.batches(path, FEATURES, 16)).__arrow_c_array__()


class Order(Base):
    def test_options(self):
        path = self.make(50)
        flat = list(range(50))
        self.assertEqual(self.ids(path, FEATURES, 20), [flat[:20], flat[20:40], flat[40:]])
        self.assertEqual(self.ids(path, FEATURES, 20, drop_remainder=True), [flat[:20], flat[20:40]])
        self.assertEqual(sum(self.ids(path, FEATURES, 20, epochs=2), []), flat * 2)
        self.assertEqual(sum(self.ids(path, FEATURES, 20, where='id >= 10 && id < 13'), []), [10, 11, 12])
        shuffled = sum(self.ids(path, FEATURES, 20, shuffle=100, seed=3), [])
        self.assertNotEqual(shuffled, flat)
        self.assertEqual(sorted(shuffled), flat)
        self.assertEqual(shuffled, sum(self.ids(path, FEATURES, 7, shuffle=100, seed=3, workers=1), []))
        self.assertNotEqual(shuffled, sum(self.ids(path, FEATURES, 20, shuffle=100, seed=4), []))
        self.assertEqual(self.ids(path, ['id:int64'], 50), [flat])
        self.assertEqual(self.ids(path, 'id:int64', 50), [flat])
        endless = iter(tfrkit.batches(path, ['id:int64'], 50, epochs=None))
        self.assertEqual([next(endless).epoch for _ in range(5)], list(range(5)))

    def test_all_features_of_a_schema(self):
        self.make(50)
        path = mock.patch.dict(os.environ, PATH='%s:%s' % (pathlib.Path(tfrkit.__file__).resolve().parents[2] / 'cmd', os.environ['PATH']))
        path.start()
        self.addCleanup(path.stop)
        try:
            schema = tfrkit.schema(self.dir)
        except tfrkit.UnavailableError as error:
            self.skipTest(str(error))
        forms = {'id': 'int64', 'two': 'float[2]', 'ids': 'int64[]', 'pad': 'int64[]', 'name': 'bytes', 'pair': 'bytes[2]',
                 'words': 'bytes[]', 'wide': 'bytes[]', 'x': 'float[]'}
        self.assertEqual(tfrkit.features(schema), forms)
        path = self.file('schema.json', json.dumps(schema).encode())
        self.assertEqual(tfrkit.features(path), forms)
        path.unlink()
        batch = next(tfrkit.batches(self.dir, None, 50))
        self.assertEqual(rows_of(batch), [record(k) for k in range(50)])

    def test_the_order_of_files(self):
        for name in 'a', 'b':
            self.make(3, name + '.tfrecord')
        self.assertEqual(self.ids(self.dir, FEATURES, 6), [[0, 0, 1, 1, 2, 2]])
        self.assertEqual(self.ids(self.dir, FEATURES, 6, cycle_length=1), [[0, 1, 2, 0, 1, 2]])
        self.assertEqual(self.ids(self.dir, FEATURES, 6, block_length=2), [[0, 1, 0, 1, 2, 2]])

    def test_the_end_is_for_good(self):
        feed = tfrkit.batches(self.make(5), FEATURES, 10)
        self.assertEqual(len(list(feed)), 1)
        self.assertEqual(list(feed), [])
        with tfrkit.batches(self.make(500, 'b'), FEATURES, 10) as feed:
            first = next(feed)
        self.assertEqual(list(feed), [])
        self.assertEqual(first['name'][3], b'n3')


class Faults(Base):
    def error(self, *arguments, **options):
        with self.assertRaises(tfrkit.Error) as caught, warnings.catch_warnings():
            warnings.simplefilter('ignore')
            list(tfrkit.batches(*arguments, **options))
        return caught.exception

    def test_messages_are_those_of_the_command(self):
        path = self.make(5)
        error = self.error(path, {'nane': 'bytes'}, 2)
        self.assertEqual(str(error), "feature 'nane' is missing in '%s', record 0, offset 0" % path)
        self.assertEqual((error.hint, error.file, error.record), ("Did you mean 'name'?", str(path), 0))
        self.assertIn("is of kind int64, not float", str(self.error(path, {'id': 'float'}, 2)))
        for features in {}, {'': 'int64'}, {'a\0': 'int64'}, {'id': 'double'}, {'id': 'int64[0]'}, ['id'], ['id:int64'] * 2:
            self.assertIsInstance(self.error(path, features, 2), tfrkit.UsageError)
        for options in ({'batch': 0}, {'batch': 1.5}, {'epochs': 0}, {'workers': 0}, {'seed': -1}, {'on_error': 'x'},
                        {'where': 'id >'}, {'cycle_length': 0}, {'shuffle': -1}, {'workers': (1 << 32) + 1}, {'batch': (1 << 32) + 2},
                        {'shuffle': 1 << 33}, {'block_length': (1 << 32) + 1}, {'epochs': 1 << 64}, {'memory': -1}):
            self.assertIsInstance(self.error(path, FEATURES, **{'batch': 2, **options}), tfrkit.UsageError, options)
        self.assertRegex(self.error(path, FEATURES, 2, memory=1).hint, '^Lower batch, or raise memory to [0-9]{8}[.]$')
        self.assertRegex(self.error(path, FEATURES, 2, memory=1 << 26, shuffle=1 << 30).hint, '^Lower shuffle to [0-9]+, or raise memory to [0-9]+[.]$')
        self.assertRaises(TypeError, tfrkit.batches, path, {'id': 3}, 2)
        self.assertRaises(FileNotFoundError, tfrkit.batches, self.dir / 'absent', FEATURES, 2)

    def test_names_with_any_characters(self):
        names = ['a"b', "it's", 'a\\"b\\', ' :[2]', 'é', '"']
        path = self.file('a', framed(tfrkit.encode_example({name: k for k, name in enumerate(names)})))
        batch = next(tfrkit.batches(path, dict.fromkeys(names, 'int64'), 1))
        self.assertEqual(list(batch), names)
        self.assertEqual([memoryview(batch.tensors(name)[0]).tolist() for name in names], [[[k]] for k in range(len(names))])

    def test_a_misspelt_feature_that_may_be_missing_is_a_warning(self):
        with self.assertWarnsRegex(UserWarning, "none of the first records has 'wordz'; did you mean 'words'") as caught:
            tfrkit.batches(self.make(5), {'wordz': 'bytes[]'}, 2)
        self.assertEqual(caught.filename, __file__)

    def test_damage_comes_after_all_before_it(self):
        data = self.make(100).read_bytes()
        feed = tfrkit.batches(self.file('b', data[:-1]), FEATURES, 10)
        got = []
        with self.assertRaises(tfrkit.DataError) as caught:
            for batch in feed:
                got.append(batch)
        self.assertEqual(sum(batch.records for batch in got), 99)
        self.assertEqual(caught.exception.record, 99)
        self.assertEqual(got[9]['name'].tolist(), [b'n%d' % k for k in range(90, 99)])
        self.assertEqual(list(feed), [])

    def test_bad_records_can_be_skipped(self):
        path = self.file('a', b''.join(framed(payload(k) if k % 3 else b'\xff') for k in range(90)))
        self.assertIsInstance(self.error(path, FEATURES, 10), tfrkit.DataError)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter('always')
            feed = tfrkit.batches(path, FEATURES, 10, on_error='skip')
            self.assertEqual(sum(batch.records for batch in feed), 60)
        self.assertEqual(feed.skipped, 30)
        self.assertTrue(caught)

    def test_warnings_with_any_bytes(self):
        with self.assertWarnsRegex(UserWarning, r"none of the first records has '\\xffz'"):
            tfrkit.batches(self.make(5), {'\udcffz': 'int64[]'}, 2)

    def test_a_warning_that_is_an_error_loses_no_batch(self):
        path = self.file('a', b''.join(framed(payload(k) if k != 5000 else b'\xff') for k in range(5100)))
        feed, got = tfrkit.batches(path, FEATURES, 10, on_error='skip', memory=20 << 20), []
        with warnings.catch_warnings():
            warnings.simplefilter('error')
            raised = 0
            while True:
                try:
                    got.append(next(feed))
                except UserWarning:
                    raised += 1
                except StopIteration:
                    break
        self.assertEqual((raised, sum(batch.records for batch in got)), (1, 5099))

    def test_hostile_records(self):
        numbers = random.Random(5)
        for turn in range(60):
            data = []
            for k in range(30):
                damaged = bytearray(payload(k + turn))
                for _ in range(numbers.randrange(3) if k else 0):
                    damaged[numbers.randrange(len(damaged))] = numbers.randrange(256)
                data.append(framed(bytes(damaged[:numbers.randrange(len(damaged))] if k % 7 == 3 else damaged)))
            path = self.file('a', b''.join(data))
            with warnings.catch_warnings():
                warnings.simplefilter('ignore')
                for on_error in 'raise', 'skip':
                    try:
                        for batch in tfrkit.batches(path, FEATURES, 8, on_error=on_error):
                            rows_of(batch)
                            batch['words'] if HAVE_NUMPY else batch['pair'].tolist()
                    except tfrkit.Error:
                        pass


class Processes(Base):
    def test_a_child_after_fork(self):
        feed = tfrkit.batches(self.make(500), FEATURES, 10)
        first = next(feed)
        self.assertIn('RuntimeError: this iterator was made before fork()', in_child(lambda: next(feed)))
        self.assertEqual(in_child(lambda: str(first['name'].tolist() == [b'n%d' % k for k in range(10)])), 'True')
        self.assertEqual(in_child(lambda: str(len(self.ids(self.dir, FEATURES, 10)))), '50')
        self.assertEqual(sum(batch.records for batch in feed), 490)

    def test_threads_that_share_an_iterator(self):
        feed = iter(tfrkit.batches(self.make(3000), FEATURES, 4))
        got, wrong = taken_by_threads(feed)
        self.assertEqual(sorted(name for batch in got for name in batch['name']), sorted(b'n%d' % k for k in range(3000)))
        self.assertLessEqual(set(wrong), {'this iterator is in use by another thread, or by a call that a signal interrupted'})

    def test_an_interrupt_ends_a_wait_and_loses_nothing(self):
        idle = self.dir / 'idle'
        os.mkfifo(idle)

        class Interrupted(Exception):
            pass

        def interrupt(number, frame):
            raise Interrupted

        self.addCleanup(signal.signal, signal.SIGALRM, signal.signal(signal.SIGALRM, interrupt))
        go = threading.Event()

        def feed_pipe():
            with open(idle, 'wb') as file:
                file.write(b''.join(framed(payload(k)) for k in range(15)))
                file.flush()
                go.wait()
                file.write(b''.join(framed(payload(k)) for k in range(15, 30)))

        thread = threading.Thread(target=feed_pipe)
        thread.start()
        feed = tfrkit.batches(idle, FEATURES, 10)
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        got = []
        with self.assertRaises(Interrupted):
            for batch in feed:
                got.extend(batch['name'])
        go.set()
        for batch in feed:
            got.extend(batch['name'])
        self.assertEqual(got, [b'n%d' % k for k in range(30)])
        thread.join()

    @unittest.skipIf(SANITIZED, 'the sanitizer keeps freed memory')
    def test_memory_is_flat(self):
        path = self.make(2000)

        def use():
            with tfrkit.batches(path, FEATURES, 64, epochs=3) as feed:
                for batch in feed:
                    batch['name'][0], batch.tensors('ids'), batch.__arrow_c_array__()
                    batch.tensors('two')[0].__dlpack__()
                    if HAVE_NUMPY:
                        batch['two'].sum()
            with self.assertRaises(tfrkit.Error):
                tfrkit.batches(path, {'absent': 'int64'}, 3)
            next(tfrkit.batches(path, FEATURES, 7))

        for _ in range(20):
            use()
        before = resident()
        for _ in range(60):
            use()
        self.assertLess(resident() - before, 4 << 20)

    def test_an_interpreter_that_ends_with_open_iterators(self):
        code = '''
import sys, tfrkit
feed = tfrkit.batches(sys.argv[1], {'id': 'int64'}, 3, epochs=None)
kept = [next(feed) for _ in range(10)]
capsule = feed.__arrow_c_stream__()
tensor = kept[0].tensors('id')[0].__dlpack__()
'''
        subprocess.run([sys.executable, '-c', code, str(self.make(50))], check=True, timeout=60)
