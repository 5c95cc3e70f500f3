"""Programs as servers: each is a child that dies with the test, and is ended by its process id."""
import contextlib
import os
import re
import socket
import subprocess
import time


class Unavailable(Exception):
    """The program is not installed, or the right to use it is missing: the test is skipped."""


def free_port():
    """For programs that cannot choose one.  Another process could take it in between; the start then fails."""
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


def free_ports(n):
    """Different ones."""
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(n)]
        for s in sockets:
            s.bind(('127.0.0.1', 0))
        return [s.getsockname()[1] for s in sockets]


class Program:
    """A child in a context.  setpriv ends it if the thread that started it ends."""

    def __init__(self, command, log, **options):
        self.log = log
        try:
            with open(log, 'wb') as out:
                self.child = subprocess.Popen(['setpriv', '--pdeathsig', 'TERM', '--'] + [str(c) for c in command], stdout=out,
                                              stderr=out, stdin=subprocess.DEVNULL, **options)
        except FileNotFoundError:
            raise Unavailable('setpriv is not installed') from None

    def text(self):
        with open(self.log, errors='replace') as log:
            return log.read()

    def wait_for(self, pattern, seconds=60):
        """The match of a line that it prints when it is ready."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if found := re.search(pattern, self.text()):
                return found
            if self.child.poll() is not None:
                break
            time.sleep(.05)
        raise RuntimeError('a server did not start: %s' % self.text()[-2000:])

    def wait_for_port(self, port, seconds=20):
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.child.poll() is None:
            with socket.socket() as s:
                if s.connect_ex(('127.0.0.1', port)) == 0:
                    return
            time.sleep(.05)
        raise RuntimeError('a server did not start: %s' % self.text()[-2000:])

    def end(self):
        self.child.terminate()
        try:
            self.child.wait(5)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()


def find(program):
    for folder in os.environ.get('PATH', '').split(':') + ['/usr/sbin', '/sbin']:
        path = os.path.join(folder, program)
        if os.access(path, os.X_OK):
            return path
    raise Unavailable('%s is not installed' % program)
