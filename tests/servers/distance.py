"""A distant server: two network namespaces with a link of some delay, rate and loss between them (forwarder.c).

The server listens on 10.9.0.2 and is started with `there`; clients are started with `here`."""
import subprocess

from .process import Unavailable, find


class Distance:
    def __init__(self, forwarder, rtt_ms, mbit=1000, loss=0):
        find('nsenter')
        self.child = subprocess.Popen([forwarder, str(rtt_ms), str(mbit), str(loss)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, text=True)
        line = self.child.stdout.readline().split()
        if len(line) != 2:
            raise Unavailable('no network namespaces here: %s' % self.child.stderr.read().strip())
        self.here, self.there = (['nsenter', '-t', pid, '-n', '--'] for pid in line)
        self.address = '10.9.0.2'

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.stdin.close()
        self.child.wait(5)
