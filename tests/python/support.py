"""What the tests of the module share: a directory of their own, and records made without tfrkit."""
import importlib.util
import os
import pathlib
import struct
import tempfile
import threading
import unittest

HAVE_NUMPY = importlib.util.find_spec('numpy') is not None
needs_numpy = unittest.skipUnless(HAVE_NUMPY, 'NumPy is not installed')
SANITIZED = 'libasan' in os.environ.get('LD_PRELOAD', '')


def resident():
    return int(pathlib.Path('/proc/self/statm').read_text().split()[1]) * os.sysconf('SC_PAGE_SIZE')


def in_child(work):
    """The text that `work` returns in a child process made by fork()."""
    back, there = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            text = work()
        except BaseException as error:   # the child must not run the tests that follow
            text = '%s: %s' % (type(error).__name__, error)
        os.write(there, text.encode())
        os._exit(0)
    os.close(there)
    with open(back, 'rb') as file:
        text = file.read().decode()
    if os.waitpid(pid, 0)[1]:
        raise AssertionError('the child died')
    return text


def taken_by_threads(iterator):
    """What four threads get that share an iterator, and the texts of the RuntimeErrors."""
    got, wrong = [], []

    def work():
        while True:
            try:
                got.append(next(iterator))
            except StopIteration:
                return
            except RuntimeError as error:
                wrong.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return got, wrong


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


def masked(data):
    crc = crc32c(data)
    return struct.pack('<I', ((crc >> 15 | crc << 17) + 0xa282ead8) & 0xffffffff)


def framed(payload):
    """The bytes of one record, by the definition of the format."""
    length = struct.pack('<Q', len(payload))
    return length + masked(length) + payload + masked(payload)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)

    def file(self, name, data):
        path = self.dir / name
        path.write_bytes(data)
        return path

    def names(self):
        return sorted(path.name for path in self.dir.iterdir())
