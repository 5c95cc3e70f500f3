"""Threads, processes, signals, memory, interpreters."""
import os
import signal
import subprocess
import sys
import threading
import unittest

import tfrkit
from support import Case, SANITIZED, framed, in_child, resident, taken_by_threads


class Processes(Case):
    def numbers(self, count, name='a', **options):
        path = self.dir / name
        with tfrkit.Writer(path, **options) as writer:
            for k in range(count):
                writer.write(b'%0200d' % k)
        return path

    def test_a_reader_works_in_a_child_and_an_iterator_raises(self):
        for compression in 'none', 'gzip':
            path = self.numbers(20000, compression, compression=compression)
            reader = tfrkit.Reader(path)
            iterator = iter(reader)
            next(iterator)
            self.assertEqual(in_child(lambda: str(sum(map(int, reader)))), str(sum(range(20000))))
            self.assertIn('RuntimeError: this iterator was made before fork()', in_child(lambda: str(list(iterator))))
            self.assertEqual(sum(map(int, iterator)), sum(range(20000)))

    def test_records_by_number_in_a_child_and_in_threads(self):
        reader = tfrkit.Reader([self.numbers(3000, 'a'), self.numbers(3000, 'b', compression='gzip')])
        want = sum(range(3000)) * 2
        self.assertEqual(int(reader[4000]), 1000)
        self.assertEqual(in_child(lambda: str(sum(int(reader[k]) for k in range(6000)))), str(want))
        got = []

        def work(first):
            got.extend(int(reader[k]) for k in range(first, 6000, 4))

        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sum(got), want)
        self.assertEqual(len(got), 6000)

    @unittest.skipIf(SANITIZED, 'the allocator of the sanitizer hangs in the child if a thread allocates during fork()')
    def test_children_that_are_forked_while_threads_read(self):
        reader, done = tfrkit.Reader([self.numbers(300, 'a'), self.numbers(300, 'b', compression='gzip')]), threading.Event()

        def work():
            while not done.is_set():
                reader[599], list(reader)

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        try:
            for k in range(20):
                got = in_child(lambda: signal.alarm(60) or str((int(reader[300 + k]), sum(1 for _ in reader))))
                self.assertEqual(got, str((k, 600)))
        finally:
            done.set()
            for thread in threads:
                thread.join()

    def test_a_child_that_ends_leaves_the_output_to_its_parent(self):
        path = self.dir / 'a'
        writer = tfrkit.Writer(path)
        writer.write(b'1')
        self.assertIn('made before fork()', in_child(lambda: writer.write(b'2')))
        self.assertIn('made before fork()', in_child(lambda: writer.close()))

        def drop():
            nonlocal writer
            del writer
            return 'dropped'

        self.assertEqual(in_child(drop), 'dropped')
        writer.close()
        self.assertEqual(list(tfrkit.Reader(path)), [b'1'])

    def test_threads_that_share_an_iterator_lose_and_repeat_nothing(self):
        iterator = iter(tfrkit.Reader(self.numbers(60000)))
        got, wrong = taken_by_threads(iterator)
        self.assertEqual(sorted(map(int, got)), list(range(60000)))
        self.assertLessEqual(set(wrong), {'this iterator is in use by another thread, or by a call that a signal interrupted'})

    def test_an_interrupt_ends_a_loop_in_c(self):
        endless = self.dir / 'endless'
        os.mkfifo(endless)
        record = framed(b'x' * 100) * 100

        def feed():
            try:
                with open(endless, 'wb') as file:
                    while True:
                        file.write(record)
            except BrokenPipeError:
                pass

        class Interrupted(Exception):
            pass

        def interrupt(number, frame):
            raise Interrupted

        before = signal.signal(signal.SIGALRM, interrupt)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        thread = threading.Thread(target=feed)
        thread.start()
        iterator = iter(tfrkit.Reader(endless))
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with self.assertRaises(Interrupted):
            sum(map(len, iterator))
        del iterator
        thread.join()

    @unittest.skipIf(SANITIZED, 'the sanitizer keeps freed memory')
    def test_objects_and_exceptions_are_freed(self):
        good, bad = self.numbers(3, 'good'), self.file('bad', framed(b'1') + framed(b'2')[:-1])
        out = self.dir / 'out'

        def use():
            list(tfrkit.Reader(good))
            len(tfrkit.Reader(good))
            next(iter(tfrkit.Reader(good)))
            tfrkit.Reader(good)[1]
            try:
                list(tfrkit.Reader(bad))
            except tfrkit.DataError:
                pass
            writer = tfrkit.Writer(out)
            writer.write(b'1')
            writer.discard()

        for _ in range(300):
            use()
        before = resident()
        for _ in range(3000):
            use()
        self.assertLess(resident() - before, 1 << 20)

    @unittest.skipIf(SANITIZED, 'the sanitizer keeps freed memory')
    def test_memory_is_flat_over_many_records(self):
        reader = tfrkit.Reader(self.numbers(100000))
        sum(map(len, reader))
        before = resident()
        for _ in range(5):
            sum(map(len, reader))
        self.assertLess(resident() - before, 1 << 20)

    def interpreters(self, path, outcome):
        """Imports the module in three interpreters, one after the other, and then in the main one."""
        name = '_interpreters' if sys.version_info >= (3, 13) else '_xxsubinterpreters'
        subprocess.run([sys.executable, '-c', '''
import {name} as interpreters
for _ in range(3):
    each = interpreters.create()
    try:
        failure = str(interpreters.run_string(each, "import tfrkit; assert list(tfrkit.Reader({path!r})) == [b'1']"))
    except Exception as error:
        failure = str(error)
    assert {outcome!r} in failure, failure
    interpreters.destroy(each)
import tfrkit
assert list(tfrkit.Reader({path!r})) == [b'1']
'''.format(name=name, path=str(path), outcome=outcome)], check=True)

    def test_subinterpreters_have_modules_of_their_own_or_are_refused(self):
        path = self.file('a', framed(b'1'))
        # From 3.12 on, these interpreters have a GIL of their own, which the module does not support.
        isolated = sys.version_info >= (3, 12)
        self.interpreters(path, 'does not support loading in subinterpreters' if isolated else 'None')

    def test_importing_brings_no_numpy(self):
        subprocess.run([sys.executable, '-c', 'import sys, tfrkit; assert "numpy" not in sys.modules'], check=True)

    def test_a_free_threaded_build_is_refused(self):
        code = 'import sys; sys.abiflags = "t"; import tfrkit'
        done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn('ImportError: tfrkit does not support free-threaded builds', done.stderr)
