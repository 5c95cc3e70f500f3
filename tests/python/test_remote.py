"""Objects behind URLs: a web server on loopback stands in for the stores, which tests/remote proves."""
import functools
import http.server
import os
import tempfile
import threading
import unittest

import tfrkit


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass


class RemoteTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, 'a.tfrecord')
        with tfrkit.Writer(self.path) as writer:
            for i in range(100):
                writer.write(b'%d' % i)
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), functools.partial(Quiet, directory=folder.name))
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.url = 'http://127.0.0.1:%d' % server.server_port

    def test_read(self):
        try:
            got = list(tfrkit.Reader(self.url + '/a.tfrecord'))
        except tfrkit.UnavailableError:
            self.skipTest('built without libcurl')
        self.assertEqual(got, list(tfrkit.Reader(self.path)))

    def test_numbers_out_of_range(self):
        self.assertRaises(OverflowError, tfrkit.remote, connections=(1 << 32) + 1)
        try:
            list(tfrkit.Reader(self.url + '/a.tfrecord'))
        except tfrkit.UnavailableError:
            self.skipTest('built without libcurl')
        try:
            for options in {'timeout': -1}, {'timeout': float('nan')}, {'timeout': float('inf')}, {'connections': 1025}, {'connections': -1}:
                self.assertRaises(tfrkit.UsageError, tfrkit.remote, **options)
        except AssertionError:
            self.addCleanup(tfrkit.remote)
            raise

    def test_settings(self):
        tfrkit.remote(anonymous=True, connections=2, timeout=5)
        self.addCleanup(tfrkit.remote)
        try:
            with self.assertRaises(tfrkit.FileError) as caught:
                list(tfrkit.Reader(self.url + '/none.tfrecord'))
        except tfrkit.UnavailableError:
            self.skipTest('built without libcurl')
        self.assertEqual(caught.exception.errno, 2)
        with self.assertRaises(TypeError):
            tfrkit.remote(True)


if __name__ == '__main__':
    unittest.main()
