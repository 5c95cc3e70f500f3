"""Writer: outputs that appear complete or not at all."""
import array
import gzip
import itertools
import pickle
import resource
import signal
import threading
import warnings
import zlib

import tfrkit
from support import Case, framed

PAYLOADS = [b'first', b'', b'x' * 300000, b'y' * 65536, b'z' * 65535, b'last']


class Writing(Case):
    def test_the_bytes_are_those_of_the_format(self):
        path = self.dir / 'a.tfrecord'
        with tfrkit.Writer(path) as writer:
            for payload in PAYLOADS[:2]:
                writer.write(payload)
        self.assertEqual(path.read_bytes(), b''.join(framed(payload) for payload in PAYLOADS[:2]))

    def test_each_compression(self):
        inflate = {'none': bytes, 'gzip': gzip.decompress, 'zlib': zlib.decompress}
        plain = None
        for compression in 'none', 'gzip', 'zlib':
            for level in None, 1, 9:
                path = self.dir / compression
                with tfrkit.Writer(path, compression=compression, level=level, overwrite=True) as writer:
                    for payload in PAYLOADS:
                        writer.write(payload)
                got = inflate[compression](path.read_bytes())
                plain = plain or got
                self.assertEqual(got, plain)
                self.assertEqual(list(tfrkit.Reader(path)), PAYLOADS)
        with tfrkit.Writer(self.dir / 'a.gz') as writer:
            writer.write(b'1')
        self.assertEqual(gzip.decompress((self.dir / 'a.gz').read_bytes()), framed(b'1'))

    def test_buffers_of_each_kind(self):
        floats = array.array('f', [1, 2])
        with tfrkit.Writer(self.dir / 'a') as writer:
            for payload in bytearray(b'ab'), memoryview(b'abc')[1:], floats:
                writer.write(payload)
            for wrong in 'text', 1, None, memoryview(b'abcd')[::2]:
                self.assertRaises((TypeError, BufferError), writer.write, wrong)
        self.assertEqual(list(tfrkit.Reader(self.dir / 'a')), [b'ab', b'bc', floats.tobytes()])

    def test_a_payload_that_changes_after_write(self):
        payload = bytearray(b'before')
        with tfrkit.Writer(self.dir / 'a') as writer:
            writer.write(payload)
            payload[:] = b'AFTER!'
        self.assertEqual(list(tfrkit.Reader(self.dir / 'a')), [b'before'])

    def test_a_buffer_that_another_thread_changes_during_write(self):
        payload, done = bytearray(1 << 20), threading.Event()

        def change():
            while not done.is_set():
                for k in range(0, len(payload), 4096):
                    payload[k] ^= 255

        thread = threading.Thread(target=change)
        thread.start()
        with tfrkit.Writer(self.dir / 'a') as writer:
            for _ in range(60):
                writer.write(payload)
        done.set()
        thread.join()
        self.assertEqual(sum(1 for _ in tfrkit.Reader(self.dir / 'a')), 60)

    def test_a_set_gets_the_records_in_turn(self):
        with tfrkit.Writer(self.dir / 's@3.tfrecord') as writer:
            for k in range(7):
                writer.write(b'%d' % k)
        self.assertEqual(list(tfrkit.Reader(self.dir / 's-00001-of-00003.tfrecord')), [b'1', b'4'])
        self.assertEqual(sorted(tfrkit.Reader(self.dir / 's@3.tfrecord')), [b'%d' % k for k in range(7)])


class CompleteOrAbsent(Case):
    def test_nothing_appears_before_close(self):
        path = self.dir / 'a'
        writer = tfrkit.Writer(path)
        writer.write(b'1')
        self.assertFalse(path.exists())
        writer.close()
        self.assertEqual(list(tfrkit.Reader(path)), [b'1'])
        writer.close()
        self.assertRaisesRegex(ValueError, 'closed', writer.write, b'2')

    def test_discarding_raising_and_dropping_leave_the_old_file(self):
        path = self.file('a', framed(b'old'))
        writer = tfrkit.Writer(path, overwrite=True)
        writer.write(b'new')
        writer.discard()
        writer.discard()
        with self.assertRaises(ZeroDivisionError), tfrkit.Writer(path, overwrite=True) as writer:
            writer.write(b'new')
            1 // 0
        writer = tfrkit.Writer(path, overwrite=True)
        writer.write(b'new')
        del writer
        self.assertEqual(list(tfrkit.Reader(path)), [b'old'])
        self.assertEqual([name for name in self.names() if 'tmp' in name], [])

    def test_a_failure_is_for_good(self):
        limit = resource.getrlimit(resource.RLIMIT_FSIZE)
        self.addCleanup(signal.signal, signal.SIGXFSZ, signal.signal(signal.SIGXFSZ, signal.SIG_IGN))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_FSIZE, limit)
        for name, payload in itertools.product(('a', 's@2.tfrecord'), (b'x' * 200000, b'x' * 60000)):
            writer = tfrkit.Writer(self.dir / name)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100000, limit[1]))
            with self.assertRaises(OSError):
                for _ in range(3):
                    writer.write(payload)
                writer.close()
            resource.setrlimit(resource.RLIMIT_FSIZE, limit)
            for call in lambda: writer.write(b'2'), writer.close, writer.close:
                self.assertRaisesRegex(ValueError, 'this writer failed', call)
            writer.discard()
            writer.close()
            self.assertRaisesRegex(ValueError, 'closed', writer.write, b'2')
            self.assertEqual(self.names(), [])

    def test_an_existing_file_is_refused(self):
        path = self.file('a', framed(b'old'))
        with self.assertRaises(tfrkit.ExistsError) as caught:
            tfrkit.Writer(path)
        self.assertIsInstance(caught.exception, FileExistsError)
        self.assertIn(str(path), str(caught.exception))
        self.assertEqual(caught.exception.hint, 'Give overwrite=True to replace it.')
        self.assertEqual(list(tfrkit.Reader(path)), [b'old'])

    def test_refusals(self):
        for options in {'compression': 'zstd'}, {'level': 0}, {'level': 10}, {'level': 'high'}:
            with self.subTest(options), self.assertRaises(tfrkit.UsageError):
                tfrkit.Writer(self.dir / 'a', **options)
        with self.assertRaisesRegex(tfrkit.UsageError, r'no compression 9: 0 \(automatic\), 1 \(none\), 2 \(GZIP\) or 3'):
            tfrkit._core.Writer(bytes(self.dir / 'a'), 9, 0, False, 0, 0, None)
        with self.assertRaises(FileNotFoundError):
            tfrkit.Writer(self.dir / 'absent' / 'a')
        with self.assertRaisesRegex(TypeError, 'pickle'):
            pickle.dumps(tfrkit.Writer(self.dir / 'a'))
        self.assertEqual(self.names(), [])

    def test_a_failure_outlives_a_warning_that_is_an_error(self):
        self.file('s-00000-of-00003.tfrecord', b'')
        with warnings.catch_warnings():
            warnings.simplefilter('error')
            with self.assertRaisesRegex(tfrkit.UsageError, 'no compression level 77'):
                tfrkit._core.Writer(bytes(self.dir / 's@2.tfrecord'), 2, 77, True, 0, 0, None)

    def test_parts_that_make_no_sense(self):
        target = self.dir / 'x@2.tfrecord'
        for part in (2, 2), (-1, 3), (0, 0), (0, 1 << 32):
            with self.assertRaises(tfrkit.UsageError):
                tfrkit.Writer(target, part=part)
        for options in {'run': 'one'}, {'part': (0, 2), 'run': ''}, {'part': (0, 2), 'run': 'two\nlines'}:
            with self.assertRaises(tfrkit.UsageError):
                tfrkit.Writer(target, **options)
        with self.assertRaisesRegex(tfrkit.UsageError, 'cannot be written in parts'):
            tfrkit.Writer(self.dir / 'x.tfrecord', part=(0, 2))
        with self.assertRaisesRegex(tfrkit.UsageError, 'part 2 of 3 has no shard'), tfrkit.Writer(target, part=(2, 3)) as writer:
            writer.write(b'x')
        self.assertEqual(self.names(), [])
