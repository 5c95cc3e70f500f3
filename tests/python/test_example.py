"""Example and encode_example: features of records."""
import array
import collections.abc
import pickle
import random
import struct
import subprocess
import sys

import tfrkit
from support import Case, HAVE_NUMPY, needs_numpy

if HAVE_NUMPY:
    import numpy

FEATURES = {'text': 'abc', 'blobs': [b'', b'x' * 200, b'y'], 'ids': [1, -2, 1 << 40], 'x': [0.5, -1.0, 3.0], 'one': 7}
LISTS = {'text': [b'abc'], 'blobs': [b'', b'x' * 200, b'y'], 'ids': [1, -2, 1 << 40], 'x': [0.5, -1.0, 3.0], 'one': [7]}


def varint(n):
    out = b''
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def field(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def entry(name, feature):
    return field(1, field(1, name) + field(2, feature))


class Reading(Case):
    def test_a_mapping_of_names(self):
        example = tfrkit.Example(tfrkit.encode_example(FEATURES))
        self.assertIsInstance(example, collections.abc.Mapping)
        self.assertEqual(list(example), ['blobs', 'ids', 'one', 'text', 'x'])
        self.assertEqual(len(example), 5)
        self.assertIn('ids', example)
        self.assertNotIn('idz', example)
        self.assertNotIn(1, example)
        self.assertEqual(example.kinds, {'blobs': 'bytes', 'ids': 'int64', 'one': 'int64', 'text': 'bytes', 'x': 'float'})
        self.assertEqual(example.lengths, {'blobs': 3, 'ids': 3, 'one': 1, 'text': 1, 'x': 3})
        self.assertEqual(example['blobs'], LISTS['blobs'])
        self.assertEqual(example.to_dict(), LISTS)
        self.assertIsNone(example.get('absent'))
        self.assertRaises(KeyError, example.tolist, 'absent')
        self.assertEqual(pickle.loads(pickle.dumps(example)), example)
        self.assertIn("'ids': int64[3]", repr(example))

    @needs_numpy
    def test_arrays(self):
        example = tfrkit.Example(tfrkit.encode_example(FEATURES))
        for name, dtype in ('ids', numpy.int64), ('x', numpy.float32), ('one', numpy.int64):
            values = example[name]
            self.assertEqual((values.dtype, values.tolist()), (dtype, LISTS[name]))
            self.assertFalse(values.flags.writeable)
        del example
        self.assertEqual(values.tolist(), [7])

    @needs_numpy
    def test_floats_are_views_where_they_are_aligned(self):
        views = 0
        for size in range(8):
            payload = tfrkit.encode_example({'x' * size: numpy.arange(5, dtype='f4')})
            values = tfrkit.Example(payload)['x' * size]
            self.assertEqual(values.tolist(), [0, 1, 2, 3, 4])
            self.assertTrue(values.flags.aligned)
            views += numpy.shares_memory(values, numpy.frombuffer(payload, 'u1'))
        self.assertEqual(views, 2)

    def test_other_buffers_are_copied(self):
        payload = bytearray(tfrkit.encode_example({'x': [1.5]}))
        example = tfrkit.Example(payload)
        payload[:] = bytes(len(payload))
        self.assertEqual(example.tolist('x'), [1.5])
        self.assertEqual(tfrkit.Example(memoryview(example.payload)), example)
        for wrong in 'text', 3, None:
            self.assertRaises(TypeError, tfrkit.Example, wrong)

    def test_lists_in_each_wire_form(self):
        floats = struct.pack('<3f', 1, 2, 3)
        unpacked = b''.join(b'\x0d' + floats[k:k + 4] for k in (0, 4, 8))
        features = entry(b'packed', field(2, field(1, floats))) + entry(b'unpacked', field(2, unpacked))
        features += entry(b'two', field(2, field(1, floats[:4]) + field(1, floats[4:])))
        features += entry(b'ints', field(3, b'\x08\x01\x08\x96\x01')) + entry(b'unset', b'') + entry(b'empty', field(1, b''))
        features += entry(b'\xff\0', field(3, b'\x08\x05'))
        example = tfrkit.Example(field(1, features))
        for name in 'packed', 'unpacked', 'two':
            self.assertEqual(example.tolist(name), [1, 2, 3])
        self.assertEqual(example.tolist('ints'), [1, 150])
        self.assertEqual((example.kinds['unset'], example['unset'], example.tolist('unset')), ('unset', None, []))
        self.assertEqual(example['empty'], [])
        self.assertEqual(example.tolist('\udcff\0'), [5])

    def test_many_byte_strings(self):
        values = [b'%d' % k for k in range(5000)]
        self.assertEqual(tfrkit.Example(tfrkit.encode_example({'a': values}))['a'], values)

    def test_damage_and_sequence_examples_are_refused(self):
        with self.assertRaises(tfrkit.DataError):
            tfrkit.Example(b'\x0a\x05abc')
        with self.assertRaisesRegex(tfrkit.DataError, 'is a SequenceExample'):
            tfrkit.Example(field(1, entry(b'a', field(3, b'\x08\x05'))) + field(2, b''))
        self.assertEqual(dict(tfrkit.Example(b'')), {})

    def test_hostile_payloads(self):
        numbers = random.Random(4)
        good = tfrkit.encode_example(FEATURES)
        payloads = [good[:k] for k in range(len(good))]
        for _ in range(3000):
            damaged = bytearray(good)
            for _ in range(numbers.randrange(1, 4)):
                damaged[numbers.randrange(len(damaged))] = numbers.randrange(256)
            payloads.append(bytes(damaged))
        payloads += [numbers.randbytes(numbers.randrange(100)) for _ in range(1000)]
        read = 0
        for payload in payloads:
            try:
                example = tfrkit.Example(payload)
            except tfrkit.DataError:
                continue
            read += len(example.to_dict()) == len(example)
            if HAVE_NUMPY:
                dict(example)
        self.assertGreater(read, 100)

    def test_only_arrays_import_numpy(self):
        code = '''
import sys, tfrkit
e = tfrkit.Example(tfrkit.encode_example({'a': [1, 2], 'b': b'1', 'c': 0.5}))
e['b'], e.tolist('a'), e.to_dict(), e.kinds
assert 'numpy' not in sys.modules
'''
        subprocess.run([sys.executable, '-c', code], check=True)


class Encoding(Case):
    def test_the_bytes_do_not_depend_on_the_order(self):
        back = dict(reversed(FEATURES.items()))
        self.assertEqual(tfrkit.encode_example(back), tfrkit.Example.encode(FEATURES))
        self.assertEqual(tfrkit.encode_example({}), b'')

    def lists(self, value):
        example = tfrkit.Example(tfrkit.encode_example({'a': value}))
        return example.kinds['a'], example.tolist('a')

    def test_values_without_numpy(self):
        for value, want in (
                (True, ('int64', [1])), ([True, 2], ('int64', [1, 2])), ((1, 2.5), ('float', [1, 2.5])),
                ([[1, 2], [3, 4]], ('int64', [1, 2, 3, 4])), ('é', ('bytes', ['é'.encode()])),
                (bytearray(b'ab'), ('bytes', [b'ab'])), (memoryview(b'abc')[::2], ('bytes', [b'ac'])),
                (memoryview(b'ab').cast('c'), ('bytes', [b'ab'])), (memoryview(b'ab').cast('b'), ('bytes', [b'ab'])),
                (memoryview(array.array('f', [1, 2])), ('float', [1, 2])), (memoryview(array.array('d', [1, 2, 3]))[::2], ('float', [1, 3])),
                (memoryview(array.array('h', [1, -2])), ('int64', [1, -2])), (memoryview(b'\1\0').cast('?'), ('int64', [1, 0])),
                (['a', b'b'], ('bytes', [b'a', b'b'])), (-1 << 63, ('int64', [-1 << 63])),
                (array.array('f', [1, 2]), ('float', [1, 2])), (array.array('d', [1, 2]), ('float', [1, 2])),
                (array.array('H', [1, 65535]), ('int64', [1, 65535])), (array.array('b', [-1]), ('int64', [-1])),
                (array.array('q'), ('int64', [])), (array.array('f'), ('float', [])), (list(range(100)), ('int64', list(range(100))))):
            with self.subTest(value):
                self.assertEqual(self.lists(value), want)

    def test_refusals(self):
        for value, error in (([], TypeError), (None, TypeError), ([1, 'a'], TypeError), (['a', 1], TypeError),
                             ({}, TypeError), (object(), TypeError), ([memoryview(array.array('f', [1]))], TypeError), (1 << 63, OverflowError), ([None], TypeError),
                             (array.array('Q', [1 << 63]), OverflowError), ('\ud800', UnicodeEncodeError)):
            with self.subTest(value), self.assertRaises(error):
                tfrkit.encode_example({'a': value})

        class Interrupted:
            @property
            def tolist(self):
                raise KeyboardInterrupt

        self.assertRaises(KeyboardInterrupt, tfrkit.encode_example, {'a': Interrupted()})
        with self.assertRaisesRegex(TypeError, "feature 'a': an empty list has no kind"):
            tfrkit.encode_example({'a': []})
        for features, error in ({'a\0': 1}, ValueError), ({1: 1}, TypeError), ([1], Exception), (3, Exception):
            self.assertRaises(error, tfrkit.encode_example, features)
        endless = []
        endless.append(endless)
        self.assertRaises(RecursionError, tfrkit.encode_example, {'a': endless})

    @needs_numpy
    def test_arrays_of_each_type_and_layout(self):
        base = numpy.arange(24).reshape(2, 3, 4)
        for dtype in 'i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 >i4 >f4 ?'.split():
            values = base.astype(dtype)
            kind = 'float' if values.dtype.kind == 'f' else 'int64'
            for view in values, values.T, values[:, ::2], values[1, 1], values[0, 0, 3], values[:0], values[:1, 1:2, ::-1]:
                with self.subTest(dtype, shape=view.shape):
                    if view.size or view.dtype.isnative and dtype != 'f2':
                        self.assertEqual(self.lists(view), (kind, numpy.ravel(view).tolist()))
        unaligned = numpy.frombuffer(b'.' + base.tobytes(), base.dtype, offset=1)
        self.assertEqual(self.lists(unaligned), ('int64', base.ravel().tolist()))
        self.assertEqual(self.lists(numpy.array([b'a', b'bc'])), ('bytes', [b'a', b'bc']))
        self.assertEqual(self.lists(numpy.array(['a', 'é'])), ('bytes', [b'a', 'é'.encode()]))
        self.assertEqual(self.lists([numpy.int8(3), numpy.float32(0.5)]), ('float', [3, 0.5]))
