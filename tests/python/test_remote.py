"""Objects behind URLs: a web server on loopback stands in for the stores, which tests/remote proves."""
import functools
import http.server
import os
import signal
import tempfile
import threading
import traceback
import unittest

import tfrkit
from support import SANITIZED, in_child


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

    @unittest.skipIf(SANITIZED, 'the allocator of the sanitizer hangs in the child if a thread allocates during fork()')
    def test_a_child_reads_while_threads_of_its_parent_do(self):
        try:
            list(tfrkit.Reader(self.url + '/a.tfrecord'))
        except tfrkit.UnavailableError:
            self.skipTest('built without libcurl')
        over = threading.Event()

        def read():
            while not over.is_set():
                list(tfrkit.Reader(self.url + '/a.tfrecord'))

        def work():
            signal.alarm(60)   # it would hang
            return str(len(list(tfrkit.Reader(self.url + '/a.tfrecord?x'))))

        threads = [threading.Thread(target=read) for _ in range(3)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(40):
                self.assertEqual(in_child(work), '100')
        finally:
            over.set()
            for thread in threads:
                thread.join()

    def test_secrets(self):
        """Neither an exception nor repr() has the query, the user or the password of a URL."""
        secrets = 'alice', 'pA55', '5ab0c'
        with open(self.path + '.list', 'w') as file:
            file.write(self.url + '/none?sig=5ab0c\n')
        urls = [self.url + '/none?sig=5ab0c', self.url + '/a.tfrecord?sig=5ab0c', self.url.replace('http', 'HTTP') + '/x@2?sig=5ab0c',
                self.url.replace('//', '//alice:pA55@') + '/x?sig=5ab0c', 'http://127.0.0.1:port/x?sig=5ab0c', 'http://alice:pA55/x',
                'ftp://alice:pA55@h/x?sig=5ab0c', 's3://alice:pA55@d/x']
        calls = [tfrkit.Reader, lambda url: repr(list(tfrkit.Reader(url))), lambda url: tfrkit.Reader(url).files,
                 lambda url: tfrkit.Reader(url)[0], lambda url: len(tfrkit.Reader(url)), tfrkit.Writer,
                 lambda url: tfrkit.Writer(url, part=(0, 2)), lambda url: repr(list(tfrkit.batches(url, None, 2))),
                 tfrkit.schema, tfrkit.check, tfrkit.finish, lambda url: tfrkit.check(self.path, schema=url)]
        for url in [*urls, *('@' + url for url in urls), '@' + self.path + '.list']:
            for call in calls:
                try:
                    said = repr(call(url))
                except Exception as error:
                    said = ''.join(traceback.format_exception(error)) + repr([error, vars(error)])
                for secret in secrets:
                    self.assertNotIn(secret, said)

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
