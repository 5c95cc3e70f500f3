"""Reader: payloads, files, counting, faults."""
import gzip
import itertools
import os
import pathlib
import pickle
import random
import struct
import warnings
import zlib

import tfrkit
from support import Case, framed, masked
from tfrkit.reader import payloads_of, pieces

PAYLOADS = [b'first', b'', b'the third', bytes(range(256)) * 40]
PLAIN = b''.join(framed(payload) for payload in PAYLOADS)


def read(path):
    """The payloads before a fault, and the exception or None."""
    got = []
    try:
        for payload in tfrkit.Reader(path):
            got.append(payload)
    except tfrkit.Error as error:
        return got, error
    return got, None


class Ranges(Case):
    def test_a_range_is_the_slice_of_all_records(self):
        rng = random.Random(1)
        wanted, paths = [], []
        for k, count in enumerate([0, 700, 1, 0, 5000, 30]):
            payloads = [b'%d of %d' % (n, k) + rng.randbytes(rng.randrange(300)) for n in range(count)]
            data = b''.join(map(framed, payloads))
            paths.append(self.file('f%d' % k, [data, gzip.compress(data), zlib.compress(data)][k % 3]))
            wanted += payloads
        reader = tfrkit.Reader(paths)
        total = len(wanted)
        ends = [None, 0, 1, -1, -31, 699, 700, 701, 702, 5000, total - 1, total, total + 1, -total]
        for start in ends[1:]:
            for stop in ends:
                with self.subTest((start, stop)):
                    self.assertEqual(list(reader.range(start, stop)), wanted[start:stop])
        self.assertEqual(list(reader.range()), wanted)
        self.assertEqual(list(tfrkit.Reader(paths[0]).range()), [])

    def test_a_range_uses_the_index_and_ends_before_a_fault_after_it(self):
        payloads = [b'%d' % n for n in range(1000)]
        data = bytearray(b''.join(map(framed, payloads)))
        at = sum(len(payload) + 16 for payload in payloads[:600])
        data[at + 12] ^= 1
        path = self.file('a', data)
        for indexed in False, True:
            if indexed:
                ends = list(itertools.accumulate(len(payload) + 16 for payload in payloads))
                lines = zip([0, *ends], (len(payload) + 16 for payload in payloads))
                self.file('a.idx', ''.join('%d %d\n' % line for line in lines).encode())
            reader = tfrkit.Reader(path)
            self.assertEqual(list(reader.range(590, 600)), payloads[590:600])
            self.assertEqual(list(reader.range(601)), payloads[601:])
            faulty = reader.range(590, 602)
            self.assertEqual(list(itertools.islice(faulty, 10)), payloads[590:600])
            with self.assertRaises(tfrkit.DataError) as caught:
                next(faulty)
            self.assertEqual((caught.exception.record, caught.exception.offset), (600, at))

    def test_a_set_that_lost_records_is_an_error(self):
        path = self.file('a', b''.join(framed(b'%d' % n) for n in range(10)))
        reader = tfrkit.Reader(path)
        self.assertEqual(len(reader), 10)
        self.file('a', b''.join(framed(b'%d' % n) for n in range(7)))
        with self.assertRaisesRegex(tfrkit.DataError, '2 records fewer than were counted'):
            list(reader.range(0, 9))
        with self.assertRaisesRegex(tfrkit.DataError, 'fewer than were counted'):
            list(reader.range(8, 9))


class Pieces(Case):
    """What tfrkit.ray and tfrkit.beam divide among processes."""

    def setUp(self):
        super().setUp()
        self.payloads = [b'%d' % n * 9 for n in range(1000)]
        self.sizes = [len(payload) + 16 for payload in self.payloads]
        self.path = str(self.file('a', b''.join(map(framed, self.payloads))))

    def write_index(self, sizes):
        lines = zip([0, *itertools.accumulate(sizes)], sizes)
        self.file('a.idx', ''.join('%d %d\n' % line for line in lines).encode())

    def test_a_file_with_an_index_is_divided(self):
        self.assertEqual(pieces(self.path, 7, 100), [(self.path, 0, None)])
        self.write_index(self.sizes)
        for most, least, count in (7, 1, 7), (10**6, sum(self.sizes) // 5, 5), (10**6, 10**6, 1), (1, 1, 1), (10**4, 1, 1000):
            found = pieces([self.path], most, least)
            self.assertEqual(len(found), count)
            self.assertEqual([payload for piece in found for payload in payloads_of(piece)], self.payloads)

    def test_a_file_whose_index_is_of_no_use_is_not(self):
        for sizes in [], self.sizes[:-1], [8] * 1000:
            self.write_index(sizes)
            self.assertEqual(pieces(self.path, 7, 1), [(self.path, 0, None)])

    def test_other_folders_see_the_same_files(self):
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.dir)
        self.assertEqual(pieces(['a', self.path], 1, 1), [(os.path.realpath(self.path), 0, None), (self.path, 0, None)])


class Reading(Case):
    def test_each_compression_is_detected(self):
        for name, data in ('plain', PLAIN), ('gzip', gzip.compress(PLAIN)), ('zlib', zlib.compress(PLAIN)):
            with self.subTest(name):
                reader = tfrkit.Reader(self.file(name, data))
                self.assertEqual(list(reader), PAYLOADS)
                self.assertEqual(len(reader), len(PAYLOADS))

    def test_inputs_are_paths_of_each_kind_and_sets(self):
        for k in range(3):
            self.file('s-%05d-of-00003.tfrecord' % k, framed(b'%d' % k))
        whole = [b'0', b'1', b'2']
        one = self.dir / 's-00001-of-00003.tfrecord'
        for inputs, want in (
                (str(one), [b'1']), (bytes(one), [b'1']), (one, [b'1']), ([one, str(one)], [b'1', b'1']),
                (self.dir, whole), (self.dir / 's@3.tfrecord', whole), (self.dir / 's-*', whole)):
            with self.subTest(inputs):
                self.assertEqual(list(tfrkit.Reader(inputs)), want)
        self.assertEqual([pathlib.Path(f).name for f in tfrkit.Reader(self.dir).files],
                         ['s-%05d-of-00003.tfrecord' % k for k in range(3)])

    def test_a_missing_member_is_an_error_unless_allowed(self):
        self.file('s-00000-of-00002.tfrecord', framed(b'0'))
        with self.assertRaises(tfrkit.DataError):
            tfrkit.Reader(self.dir / 's@2.tfrecord')
        with self.assertWarnsRegex(UserWarning, 's-00001-of-00002') as caught:
            reader = tfrkit.Reader(self.dir / 's@2.tfrecord', allow_missing=True)
        self.assertEqual(caught.filename, __file__)
        self.assertEqual(list(reader), [b'0'])
        with warnings.catch_warnings(), self.assertRaises(UserWarning):
            warnings.simplefilter('error')
            tfrkit.Reader(self.dir / 's@2.tfrecord', allow_missing=True)

    def test_payloads_stay_valid_over_many_blocks_and_files(self):
        numbers = random.Random(1)
        payloads = [numbers.randbytes(1 << numbers.randrange(22)) for _ in range(60)]
        a, b = self.dir / 'a', self.dir / 'b'
        for path in a, b:
            with tfrkit.Writer(path) as writer:
                for payload in payloads:
                    writer.write(payload)
        empty = self.file('empty', b'')
        self.assertEqual(list(tfrkit.Reader([empty, a, empty, b, empty])), payloads * 2)

    def test_iterators_are_independent_and_end_for_good(self):
        reader = tfrkit.Reader(self.file('a', PLAIN))
        first, second = iter(reader), iter(reader)
        self.assertEqual(next(first), b'first')
        self.assertEqual(list(second), PAYLOADS)
        self.assertEqual(list(first), PAYLOADS[1:])
        self.assertEqual(list(first), [])
        self.assertTrue(reader)

    def test_a_reader_can_be_pickled_and_an_iterator_cannot(self):
        reader = tfrkit.Reader(self.file('a', PLAIN))
        self.assertEqual(list(pickle.loads(pickle.dumps(reader))), PAYLOADS)
        with self.assertRaisesRegex(TypeError, 'pickle'):
            pickle.dumps(iter(reader))

    def test_the_path_in_a_name_that_is_not_utf8(self):
        name = bytes(self.dir) + b'/\xff.tfrecord'
        with open(name, 'wb') as file:
            file.write(PLAIN[:-1])
        with self.assertRaises(tfrkit.DataError) as caught:
            list(tfrkit.Reader(name))
        self.assertEqual(caught.exception.file.encode('utf-8', 'surrogateescape'), name)


class ByNumber(Case):
    def setUp(self):
        super().setUp()
        self.want = [b'%d' % k * (k % 50) for k in range(3000)]
        for at, compression in (0, 'none'), (1, 'gzip'), (2, 'zlib'):
            with tfrkit.Writer(self.dir / ('s-%05d-of-00003.tfrecord' % at), compression=compression) as writer:
                for payload in self.want[1000 * at:1000 * at + 1000]:
                    writer.write(payload)
        self.file('s-empty.tfrecord', b'')
        self.reader = tfrkit.Reader([self.dir / 's-00000-of-00003.tfrecord', self.dir / 's-empty.tfrecord',
                                     self.dir / 's-0000[12]-*'])

    def test_each_number_gives_its_record(self):
        numbers = list(range(3000)) + random.Random(3).sample(range(3000), 300)
        with self.reader as reader:
            self.assertEqual([reader[k] for k in numbers], [self.want[k] for k in numbers])
            self.assertEqual([reader[-1 - k] for k in (0, 1500, 2999)], [self.want[-1 - k] for k in (0, 1500, 2999)])
        self.assertEqual(self.reader[999:1003], self.want[999:1003])
        self.assertEqual(self.reader[::-700], self.want[::-700])
        for wrong in 3000, -3001:
            with self.assertRaisesRegex(IndexError, 'the number of records is 3000'):
                self.reader[wrong]
        with self.assertRaises(TypeError):
            self.reader['first']

    def test_an_index_is_used_if_it_is_good(self):
        path = self.dir / 's-00000-of-00003.tfrecord'
        lines, at = [], 0
        for payload in self.want[:1000]:
            lines.append('%d %d\n' % (at, len(payload) + 16))
            at += len(payload) + 16
        index = self.file(path.name + '.idx', ''.join(lines).encode())
        self.assertEqual([self.reader[k] for k in (999, 0, 500)], [self.want[k] for k in (999, 0, 500)])
        for damaged in b'', b'0 16\n', b'no numbers\n', index.read_bytes()[:-20], b'\0' * 100:
            index.write_bytes(damaged)
            self.reader.close()
            self.assertEqual([self.reader[k] for k in (999, 0, 500)], [self.want[k] for k in (999, 0, 500)])

    def test_damage_is_an_error_of_its_record_alone(self):
        data = b''.join(framed(payload) for payload in PAYLOADS)
        path = self.file('a', data[:-1] + bytes([data[-1] ^ 1]))
        reader = tfrkit.Reader(path)
        with self.assertRaises(tfrkit.DataError) as caught:
            reader[3]
        self.assertEqual((caught.exception.file, caught.exception.record, caught.exception.offset), (str(path), 3, 62))
        self.assertEqual(reader[2], PAYLOADS[2])

    def test_more_files_than_are_kept_open(self):
        for k in range(300):
            self.file('many-%05d-of-00300.tfrecord' % k, framed(b'%d' % k))
        reader = tfrkit.Reader(self.dir / 'many@300.tfrecord')
        for k in list(range(300)) * 2:
            self.assertEqual(reader[k], b'%d' % k)


class Faults(Case):
    def test_a_fault_comes_after_the_records_before_it(self):
        data = bytearray(PLAIN)
        data[-1] ^= 1
        path = self.file('a', data)
        iterator = iter(tfrkit.Reader(path))
        self.assertEqual([next(iterator) for _ in range(3)], PAYLOADS[:3])
        with self.assertRaises(tfrkit.DataError) as caught:
            next(iterator)
        error = caught.exception
        self.assertEqual(str(error), "data checksum mismatch in '%s', record 3, offset 62" % path)
        self.assertEqual((error.file, error.record, error.offset), (str(path), 3, 62))
        self.assertEqual(list(iterator), [])

    def test_the_hint_is_a_note(self):
        _, error = read(self.file('a', PLAIN + bytes(4)))
        self.assertEqual(error.hint, 'TensorFlow treats this as the end of the file, without an error.')
        self.assertEqual(error.__notes__, ['hint: ' + error.hint])

    def test_exceptions_are_also_those_of_python(self):
        with self.assertRaises(FileNotFoundError) as caught:
            tfrkit.Reader(self.dir / 'absent')
        self.assertIsInstance(caught.exception, tfrkit.FileError)
        self.assertEqual(str(caught.exception), "cannot open '%s': No such file or directory" % (self.dir / 'absent'))
        with self.assertRaises(tfrkit.FormatError) as caught:
            list(tfrkit.Reader(self.file('a.jpg', b'\xff\xd8\xff\xe0' + bytes(100))))
        self.assertIn('JPEG', str(caught.exception))
        for inputs in '', 'a\0b', []:
            with self.assertRaises(tfrkit.UsageError):
                tfrkit.Reader(inputs)
        for inputs in 1, None, [1]:
            with self.assertRaises(TypeError):
                tfrkit.Reader(inputs)

    def test_a_file_that_vanished(self):
        path = self.file('a', PLAIN)
        reader = tfrkit.Reader(path)
        path.unlink()
        self.assertRaises(FileNotFoundError, list, reader)
        self.assertRaises(FileNotFoundError, len, reader)

    def test_every_flipped_byte_and_every_truncation_is_a_fault(self):
        small = b''.join(framed(payload) for payload in PAYLOADS[:3])
        ends = {sum(len(framed(p)) for p in PAYLOADS[:k]) for k in range(4)}
        for at in range(len(small)):
            got, error = read(self.file('a', small[:at] + bytes([small[at] ^ 0x41]) + small[at + 1:]))
            self.assertIsInstance(error, tfrkit.DataError)
            self.assertEqual(got, PAYLOADS[:len(got)])
            got, error = read(self.file('a', small[:at]))
            self.assertEqual(error is None, at in ends, at)
            self.assertEqual(got, PAYLOADS[:len(got)])

    def test_no_damage_of_a_compressed_file_gives_a_wrong_payload(self):
        for data in gzip.compress(PLAIN), zlib.compress(PLAIN):
            for at in range(len(data)):
                got, _ = read(self.file('a', data[:at] + bytes([data[at] ^ 0x41]) + data[at + 1:]))
                self.assertEqual(got, PAYLOADS[:len(got)])
                got, error = read(self.file('a', data[:at]))
                self.assertEqual(got, PAYLOADS[:len(got)])
                self.assertTrue(error or not at)

    def test_random_bytes(self):
        numbers = random.Random(2)
        for _ in range(300):
            got, error = read(self.file('a', numbers.randbytes(numbers.randrange(1, 2000))))
            self.assertEqual(got, [])
            self.assertIsInstance(error, tfrkit.Error)

    def test_a_forged_length_takes_no_memory(self):
        length = struct.pack('<Q', 1 << 50)
        _, error = read(self.file('a', framed(b'good') + length + masked(length)))
        self.assertEqual(error.record, 1)
        self.assertIn('truncated record', str(error))
