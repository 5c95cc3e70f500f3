"""What the cases of tests/remote share: starting tfr, looking at its memory, and the judgements that return.

A case is a function of a file of cases with the decorator `case`; it gets a Test.  It fails by an exception, and is
skipped by Unavailable."""
import contextlib
import hashlib
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, TOP + '/tests')

from servers import distance, moto, nginx, process, signature, store  # noqa: E402
from servers.checksum import Repeated, record  # noqa: E402

DATA = TOP + '/tests/data/'
MIB = 1 << 20
CASES = []
ID, SECRET = 'AKIDEXAMPLE', 'wJalrXUtnFEMI-K7MDENG+bPxRfiCYEXAMPLEKEY'
Unavailable = process.Unavailable


def case(function):
    CASES.append(function)
    return function


class Result:
    """A run of tfr that is over.  peak: the most resident memory, in bytes."""

    def __init__(self, status, out, err, seconds, peak):
        self.status, self.out, self.err, self.seconds, self.peak = status, out, err, seconds, peak

    def __repr__(self):
        return 'status %s after %.1f s, peak %d MiB\n%s%s' % (
            self.status, self.seconds, self.peak // MIB, self.out[-1000:].decode(errors='replace'), self.err[-3000:])


class Shared:
    """Servers that are slow to start, started once for all cases."""

    def __init__(self, folder):
        self.folder, self.made, self.lock = folder, {}, threading.Lock()

    def get(self, name, make):
        with self.lock:
            if name not in self.made:
                try:
                    self.made[name] = make(self.folder)
                except Unavailable as e:
                    self.made[name] = e
            if isinstance(self.made[name], Unavailable):
                raise self.made[name]
            return self.made[name]

    def end(self):
        for server in self.made.values():
            if not isinstance(server, Unavailable):
                server.__exit__()


class Test:
    def __init__(self, tfr, folder, shared, tensorflow=None):
        self.tfr, self.folder, self.shared, self.tensorflow = tfr, folder, shared, tensorflow
        self.exits, self.environment = contextlib.ExitStack(), {}

    # --- servers ---

    def store(self, signed=True, **options):
        """A fault server.  tfr's environment then leads to it, with the right keys if it verifies signatures."""
        google = options.get('google')
        if signed and not options.get('tokens'):
            options.setdefault('keys', {ID: signature.Keys(SECRET)})
        made = self.exits.enter_context(store.Store(**options))
        self.environment |= {'STORAGE_EMULATOR_HOST': made.url} if google else {'AWS_ENDPOINT_URL': made.url}
        if options.get('keys', {}).get(ID):
            # Google's keys for interoperability have variables of their own
            self.environment |= {'GS_ACCESS_KEY_ID': ID, 'GS_SECRET_ACCESS_KEY': SECRET} if google else {
                'AWS_ACCESS_KEY_ID': ID, 'AWS_SECRET_ACCESS_KEY': SECRET}
        return made

    def server(self, made):
        return self.exits.enter_context(made)

    def moto(self, signed=True):
        made = self.shared.get('moto' if signed else 'moto open', lambda folder: moto.Moto(folder, signed))
        self.environment |= made.environment() if signed else {'AWS_ENDPOINT_URL': made.url}
        return made

    def nginx(self, root, **options):
        return self.exits.enter_context(nginx.Nginx(self.folder, root, **options))

    def distance(self, *link):
        forwarder = os.path.dirname(os.path.dirname(self.tfr)) + '/tests/forwarder'
        if not os.access(forwarder, os.X_OK):
            raise Unavailable('tests/forwarder is not built')
        return self.exits.enter_context(distance.Distance(forwarder, *link))

    # --- tfr ---

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, *arguments, env=None, prefix=(), **options):
        """tfr as a child, in an environment without any setting of the user."""
        full = {'PATH': '/usr/bin:/bin', 'HOME': self.folder, 'TMPDIR': self.folder, 'LC_ALL': 'C.UTF-8',
                'AWS_EC2_METADATA_DISABLED': 'true', 'NO_GCE_CHECK': 'true', **self.environment, **(env or {})}
        for name in ('ASAN_OPTIONS', 'UBSAN_OPTIONS', 'LD_LIBRARY_PATH'):
            if name in os.environ:
                full[name] = os.environ[name]
        options.setdefault('stdout', subprocess.PIPE)
        # nsenter becomes tfr: the process is the same
        return subprocess.Popen([*prefix, self.tfr, *map(str, arguments)], stderr=subprocess.PIPE, stdin=options.pop('stdin', subprocess.DEVNULL),
                                env={k: v for k, v in full.items() if v is not None}, **options)

    def run(self, *arguments, env=None, limit=60, **options):
        """Runs tfr to its end, at most `limit` seconds: a run that takes longer hangs, and fails the case."""
        began = time.monotonic()
        child = self.start(*arguments, env=env, **options)
        peak, done = [0], threading.Event()
        watch = threading.Thread(target=_watch, args=(child.pid, peak, done))
        watch.start()
        try:
            out, err = child.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGKILL)
            out, err = child.communicate()
            raise AssertionError('tfr %s hangs: %s' % (' '.join(map(str, arguments)), err.decode(errors='replace')[-2000:])) from None
        finally:
            done.set()
            watch.join()
        result = Result(child.returncode, out or b'', err.decode(errors='replace'), time.monotonic() - began, peak[0])
        self.keeps_secrets(result)
        return result

    def good(self, *arguments, **options):
        result = self.run(*arguments, **options)
        assert result.status == 0, '%s: %r' % (' '.join(map(str, arguments)), result)
        return result

    def fails(self, status, *arguments, says=(), hint=True, **options):
        """A run that fails with this status, and whose message has each of the expressions `says`."""
        result = self.run(*arguments, **options)
        assert result.status == status, '%d was expected: %r' % (status, result)
        for expression in [says] if isinstance(says, str) else says:
            assert re.search(expression, result.err), 'no %r in %r' % (expression, result)
        assert not hint or 'hint:' in result.err, 'no hint: %r' % result
        return result

    def keeps_secrets(self, result):
        for secret in (SECRET, 'Signature=', 'HMAC-SHA256', 'Bearer ', 'Basic ', 'open sesame', 'open%20sesame', 'TOKEN-', 'SECRET-'):
            assert secret not in result.err and secret.encode() not in result.out, 'a secret is printed: %s: %r' % (secret, result)


def _watch(pid, peak, done):
    """VmHWM, as long as the process lives."""
    while not done.wait(.02):
        try:
            with open('/proc/%d/status' % pid) as status:
                found = re.search(r'VmHWM:\s+(\d+) kB', status.read())
        except OSError:
            return
        if found:
            peak[0] = max(peak[0], int(found[1]) * 1024)


# --- inputs ---

def records(count, size, seed=1):
    """A TFRecord file of `count` different records of `size` bytes."""
    stream = hashlib.shake_128(b'%d' % seed).digest(size + count)
    return b''.join(record(stream[i:i + size]) for i in range(count))


def large(size):
    """At least `size` bytes of records, which no memory holds."""
    piece = b''.join(record(bytes([i]) * 60000) for i in range(16))
    return Repeated(piece, -(-size // len(piece)))


def read(path):
    with open(path, 'rb') as f:
        return f.read()


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as f:
        f.write(data)
    return path


# --- judgements ---

def check_ranges(requests, size, overlap=0):
    """Reads of one object: all but the first are bound to its ETag, none asks twice for the same, together they have all."""
    spans = sorted((r.range()[0], min(size, (r.range()[1] if r.range()[1] is not None else size) + 1)) for r in requests)
    first = min(requests, key=lambda r: r.time)
    for r in requests:
        assert r is first or r.headers.get('If-Match'), 'no If-Match: %r' % r
    at = 0
    for begin, end in spans:
        assert begin >= at - overlap, 'bytes from %d are requested twice: %r' % (begin, requests)
        assert begin <= at, 'bytes from %d are not requested: %r' % (at, requests)
        assert end - begin <= 16 * MIB, 'a range of %d bytes: %r' % (end - begin, requests)
        at = max(at, end)
    assert at >= size, '%d of %d bytes were requested' % (at, size)
    whole = [e - b for b, e in spans[1:-1]]
    assert all(n >= 8 * MIB for n in whole), 'ranges of %s bytes' % whole


def no_core():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def folder():
    return tempfile.TemporaryDirectory(prefix='tfr-remote-')
