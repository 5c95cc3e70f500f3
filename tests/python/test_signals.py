"""Every public operation while a timer's signal runs a handler that uses the same objects, raises, or forks."""
import collections
import contextlib
import ctypes
import itertools
import operator
import os
import signal
import threading

import tfrkit
from support import Case, framed
from test_batches import FEATURES, payload

TURNS = 2       # of each operation, with each handler
PERIOD = 0.001


class Raised(Exception):
    """What a handler raises."""


def run_ticking(act, use, made):
    """Runs use(made) while a handler runs act(), a millisecond after it last ended.  Handlers run where a call begins or ends:
    all calls are inside of `try`, but for the last two, when no handler acts any more."""
    on = True

    def handler(number, frame):
        if not on:
            return
        try:
            act()
        finally:
            signal.setitimer(signal.ITIMER_REAL, PERIOD)

    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, PERIOD)
        use(made)
    except (Raised, RuntimeError, ValueError):   # the handler's, or that of an object in use or closed
        pass
    finally:
        on = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def raises():
    raise Raised


def forks():
    pid = os.fork()
    if not pid:
        os._exit(0)
    os.waitpid(pid, 0)


class Signals(Case):
    def setUp(self):
        super().setUp()
        self.payloads = [payload(k) for k in range(300)]
        self.path = self.file('a.tfrecord', b''.join(framed(each) for each in self.payloads))
        self.bad = self.file('b.tfrecord', framed(self.payloads[0]) * 50 + b'damaged')

    def under_signals(self, make, use, actions):
        """use(object) under signals whose handlers raise, fork, or do one of `actions` to the object."""
        for turn, action in itertools.product(range(TURNS), [raises, forks, *actions]):
            made = make(turn)
            run_ticking(action if action in (raises, forks) else lambda: action(made), use, made)
            del made

    def test_a_writer(self):
        def make(turn):
            return tfrkit.Writer(self.dir / 'out.tfrecord', overwrite=True, compression=('none', 'gzip')[turn % 2])

        def use(writer):
            changing = memoryview(bytearray(300000)).cast('f')
            for _ in range(4):
                list(map(writer.write, [b'x' * 1000] * 500))
                writer.write(changing)
            writer.close()

        self.under_signals(make, use, [lambda writer: writer.write(b'y' * 70000), lambda writer: writer.write(b'y'),
                                       tfrkit.Writer.close, tfrkit.Writer.discard])
        written = tfrkit.Reader(self.dir / 'out.tfrecord')
        self.assertEqual(sum(1 for _ in written), len(written))

    def test_an_iterator(self):
        def use(iterator):
            for _ in range(3):
                for _ in iterator:
                    pass

        for path in self.path, self.bad:
            self.under_signals(lambda turn: iter(tfrkit.Reader([path] * 20)), use, [lambda iterator: next(iterator, 0), list])
        self.under_signals(lambda turn: tfrkit.Reader([self.path] * 5), lambda reader: [reader[k] for k in range(500)],
                           [lambda reader: reader[7], tfrkit.Reader.close, len])

    def test_batches(self):
        def use(feed):
            for batch in feed:
                if batch.index % 8 == 0:
                    batch.__arrow_c_array__(), batch['name'].tolist()

        for path, options in (self.path, {}), (self.bad, {'on_error': 'skip'}):
            def make(turn):
                return tfrkit.batches([path] * 4, FEATURES, 8, epochs=3, workers=2, **options)
            self.under_signals(make, use, [lambda feed: next(feed, 0), tfrkit.Batches.close, lambda feed: feed.skipped])

    def test_what_makes_objects(self):
        def use(_):
            for _ in range(8):
                for wrong in self.bad, self.dir / 'absent':
                    with contextlib.suppress(tfrkit.Error):
                        list(tfrkit.Reader(wrong))
                example = tfrkit.Example(tfrkit.encode_example({'a': [1, 2], 'b': ['x'] * 20, 'c': [0.5] * 20}))
                example.to_dict()
                tfrkit.parse(self.payloads, FEATURES).__arrow_c_array__()
            with contextlib.suppress(tfrkit.Error):
                list(tfrkit.batches(self.path, {'absent': 'int64'}, 3))

        self.under_signals(lambda turn: None, use, [])


class OneSignal(Case):
    """The same without chance: one signal, which is pending when a call begins."""

    def interrupted(self, act, call, *arguments):
        """What call(*arguments) does when a handler runs act() in it; no Python code runs between the signal and the call."""
        self.addCleanup(signal.signal, signal.SIGALRM, signal.signal(signal.SIGALRM, lambda number, frame: act()))
        calls = [(ctypes.pythonapi.PyErr_SetInterruptEx, signal.SIGALRM), (call, *arguments)]
        return collections.deque(itertools.starmap(operator.call, calls), 1)[0]

    def test_a_handler_that_uses_the_writer(self):
        for act, got in (tfrkit.Writer.close, [b'x' * 60000] * 4 + [b'y' * 60000]), (tfrkit.Writer.discard, []), \
                (lambda writer: writer.write(b'z'), [b'x' * 60000] * 4 + [b'y' * 60000, b'z']):
            with tfrkit.Writer(self.dir / 'a', overwrite=True) as writer:
                for _ in range(4):
                    writer.write(b'x' * 60000)
                self.interrupted(lambda: act(writer), writer._core.write, b'y' * 60000)
            self.assertEqual(list(tfrkit.Reader(self.dir / 'a')) if got else self.names(), got)
            (self.dir / 'a').unlink(missing_ok=True)

    def test_a_handler_that_raises_loses_no_payload(self):
        with tfrkit.Writer(self.dir / 'a') as writer:
            self.assertRaises(Raised, self.interrupted, raises, writer._core.write, b'x' * 70000)
        self.assertEqual(list(tfrkit.Reader(self.dir / 'a')), [b'x' * 70000])

    def test_a_handler_that_takes_from_the_iterator(self):
        path = self.file('a', b''.join(framed(b'%d' % k) for k in range(9)))
        iterator, taken = iter(tfrkit.Reader(path)), []
        taken_after = self.interrupted(lambda: taken.append(next(iterator)), next, iterator)
        self.assertEqual([*taken, taken_after, *iterator], [b'%d' % k for k in range(9)])
        iterator = iter(tfrkit.Reader(path))
        self.assertIsNone(self.interrupted(lambda: taken.extend(itertools.islice(iterator, 9)), next, iterator, None))
        self.assertEqual(taken[1:], [b'%d' % k for k in range(9)])

    def test_a_handler_that_takes_a_batch(self):
        path = self.file('a', b''.join(framed(payload(k)) for k in range(9)))
        feed = iter(tfrkit.batches(path, FEATURES, 3))
        for act in lambda: next(feed), feed.close:
            with self.assertRaisesRegex(RuntimeError, 'in use .* a signal interrupted'):
                self.interrupted(act, next, feed)
        self.assertEqual([batch.index for batch in feed], [0, 1, 2])

    def test_a_child_that_a_handler_forks_during_a_wait(self):
        idle, go, pids, got = self.dir / 'idle', threading.Event(), [], []
        os.mkfifo(idle)

        def feed_pipe():
            with open(idle, 'wb') as file:
                file.write(b''.join(framed(payload(k)) for k in range(15)))
                file.flush()
                go.wait()
                file.write(b''.join(framed(payload(k)) for k in range(15, 30)))

        def handler(number, frame):
            pids.append(os.fork())
            signal.alarm(0 if pids[0] else 30)
            go.set()

        self.addCleanup(signal.signal, signal.SIGALRM, signal.signal(signal.SIGALRM, handler))
        thread = threading.Thread(target=feed_pipe)
        thread.start()
        feed = tfrkit.batches(idle, FEATURES, 10)
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        try:
            for batch in feed:
                got.extend(batch['name'])
        except RuntimeError as error:
            if not pids[0]:
                os._exit(0 if 'fork()' in str(error) else 1)
            raise
        finally:
            if not pids[0]:
                os._exit(2)
        thread.join()
        self.assertEqual(os.waitpid(pids[0], 0)[1], 0)
        self.assertEqual(got, [b'n%d' % k for k in range(30)])
