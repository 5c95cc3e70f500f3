# --follow: each record as soon as it is whole, until a signal, an end, or a file that is no longer what it was.
cat > follow.py <<'P'
import os, re, resource, select, signal, subprocess, time
import records


class Follower:
    """A `tfr cat --follow` and what it has written so far."""
    def __init__(self, *options, stdin=subprocess.DEVNULL, memory=None):
        def prepare():   # a shell starts what it puts into the background with SIGINT ignored
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            if memory and not os.environ.get('SANITIZED'):   # which needs more address space
                resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        self.child = subprocess.Popen(['tfr', 'cat', '--follow', *options], stdin=stdin, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, preexec_fn=prepare)
        self.got = b''

    def until(self, want):
        """Waits until all of `want` has come; what comes beside it is told."""
        deadline = time.monotonic() + 30
        while len(self.got) < len(want) and time.monotonic() < deadline:
            if select.select([self.child.stdout], [], [], 0.1)[0]:
                data = os.read(self.child.stdout.fileno(), 65536)
                self.got += data
                if not data:
                    break
        print('has come' if self.got == want else 'something else: %r' % self.got)

    def quiet(self):
        """Nothing comes for a while, and it has not ended."""
        time.sleep(0.3)
        print('waits' if not select.select([self.child.stdout], [], [], 0)[0] and self.child.poll() is None else 'does not wait')

    def end(self, send=None):
        if send:
            self.child.send_signal(send)
        rest, said = self.child.communicate(timeout=30)
        code = self.child.returncode
        said = said.decode()
        print(signal.Signals(-code).name if code < 0 else 'status %d' % code, re.sub(r' in [0-9.]+ s, sum.*', '', said).strip())
        if rest:
            print('and %r' % rest)


def append(name, data):
    with open(name, 'ab') as out:
        out.write(data)


one, two, three = (records.frame(p) for p in (b'one', b'two' * 100_000, b'three'))
P
run() { echo "-- $1"; { cat follow.py; cat; } | python3 -; }
run 'a file grows, in pieces' <<'P'
append('grow', one + two[:5])
f = Follower('grow')
f.until(one)
f.quiet()
append('grow', two[5:200_000])
f.quiet()
append('grow', two[200_000:] + three)
f.until(one + two + three)
append('grow', one[:-1])
f.quiet()
f.end(signal.SIGINT)
P
run 'an empty one, and SIGTERM' <<'P'
append('empty', b'')
f = Follower('empty', '--raw')
f.quiet()
append('empty', one)
f.until(b'one')
f.end(signal.SIGTERM)
P
run 'a FIFO, whose writers come and go; into a FIFO' <<'P'
os.mkfifo('in'), os.mkfifo('out')
f = Follower('in', '-o', 'out', '-q')
out = os.open('out', os.O_RDONLY)
append('in', one + three[:10])
data = b''
while len(data) < len(one):
    data += os.read(out, 100)
f.quiet()
append('in', three[10:])
while len(data) < len(one + three):
    data += os.read(out, 100)
print(data == one + three)
f.end(signal.SIGINT)
P
run 'a pipe ends where its writer does; what is cut off there is damage' <<'P'
for data in one + three, one + three[:10]:
    f = Follower('-q', '-', stdin=subprocess.PIPE)
    f.child.stdin.write(data)
    f.child.stdin.close()
    f.child.stdin = None
    f.until(one + three if len(data) == len(one + three) else one)
    f.end()
P
run 'GZIP, lines, and the order of selection' <<'P'
import zlib
z = zlib.compressobj(wbits=31)
append('z', z.compress(one) + z.flush(zlib.Z_SYNC_FLUSH))
f = Follower('-q', 'z')
f.until(one)
append('z', z.compress(three) + z.flush(zlib.Z_SYNC_FLUSH))
f.until(one + three)
f.end(signal.SIGINT)
append('lines', b'0\n1\n2\n3')
f = Follower('-q', '--from', 'lines', 'lines', '--records', '1-', '--every', '2', '--delimited')
f.until(b'\x011')
f.quiet()
append('lines', b'3\n4\n5\n')
f.until(b'\x011\x0233\x015')
f.quiet()
append('lines', b'never')
f.end(signal.SIGINT)
f = Follower('-q', '--from', 'lines', 'lines', '--limit', '2', '--raw')
f.until(b'01')
f.end()
P
run 'damage, and a length that lies' <<'P'
append('bad', one + three[:-1] + b'!')
f = Follower('bad', '-q')
f.until(one)
f.end()
append('claim', one + records.header(2**40) + b'spam')
f = Follower('claim', '-q', memory=200_000_000)
f.until(one)
f.quiet()
f.end(signal.SIGINT)
P
run 'a file that shrinks, is replaced, is removed' <<'P'
for change in (lambda: os.truncate('f', 5), lambda: os.rename('g', 'f'), lambda: os.unlink('f')):
    for name in 'fg':
        open(name, 'wb').write(one)
    f = Follower('-q', 'f')
    f.until(one)
    change()
    f.end()
P
for options in 'grow grow' 'grow -o file' 'grow -z gzip' 'nowhere' '.'; do
  tfr cat -q --follow $options 2>&1; echo "status $?"
done
ls file 2> /dev/null
