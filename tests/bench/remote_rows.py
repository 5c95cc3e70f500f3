"""The rows of scripts/bench that measure objects: against as many processes of curl, and other tools.

Servers are started when a row first needs them, and end with this process.  What is distant is behind tests/servers/forwarder,
50 ms away at 1 Gbit/s, or 20 ms for small objects; that needs the rights of root."""
import functools
import os
import pathlib
import subprocess
import sys

from measure import Row

TESTS = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(TESTS.parent))

from servers import distance, nginx  # noqa: E402

RECORDS = 15_200            # of 64 KiB: 1 GB
NEAR, FAR = 4, 16           # processes of curl
LOOP = 300                  # objects that the sequential loop reads
CURL = ('size=$(curl -sI "$1" | tr -d "\\r" | sed -n "s/^Content-Length: //p"); step=$(((size + $2 - 1) / $2)); '
        'for i in $(seq 0 $(($2 - 1))); do curl -s -o /dev/null -r $((i * step))-$(((i + 1) * step - 1)) "$1" & done; wait')


class Late:
    """A word of a command that is known when its server runs."""

    def __init__(self, find):
        self.find = find

    def __str__(self):
        return str(self.find())


class Servers:
    """Each is made once, by its name."""

    def __init__(self, place):
        self.place, self.made = place, {}

    def get(self, name, make):
        if name not in self.made:
            self.made[name] = make()
        return self.made[name]

    def file(self):
        """1 GB of records in a folder of their own."""
        folder = self.place.ram / 'web'
        if not (folder / 'x.tfrecord').exists():
            folder.mkdir()
            os.chmod(self.place.ram, 0o755)
            subprocess.run([self.place.release / 'tests/make_small', str(RECORDS), '1', folder / 'small', '65536'], check=True)
            next(folder.glob('small*')).rename(folder / 'x.tfrecord')
        return folder

    def near(self):
        return self.get('near', lambda: nginx.Nginx(str(self.place.ram), str(self.file()), name='near', workers=2))

    def link(self, rtt):
        return self.get('link %d' % rtt, lambda: distance.Distance(str(self.place.release / 'tests/forwarder'), rtt))

    def far(self):
        link = self.link(50)
        return self.get('far', lambda: nginx.Nginx(str(self.place.ram), str(self.file()), prefix=link.there, address=link.address,
                                                   name='far', workers=2))

    def store(self, name, *arguments, prefix=()):
        def start():
            child = subprocess.Popen([*prefix, sys.executable, str(TESTS.parent / 'servers/serve.py'), *map(str, arguments)],
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            child.url = child.stdout.readline().strip()
            return child
        return self.get(name, start).url

    def images(self):
        link = self.link(20)
        return self.store('images', '--address', link.address, '--images', self.place.photos, prefix=link.there)

    def large(self, *google):
        link = self.link(50)
        return self.store('large' + ''.join(google), '--address', link.address, '--file', self.file() / 'x.tfrecord', *google, prefix=link.there)

    def sink(self):
        return self.store('sink', '--discard')


def every(place, before):
    servers = Servers(place)
    tfr, python = place.tfr, place.remote

    def discard(*command):
        return ['sh', '-c', 'exec "$@" > /dev/null', 'sh', *command]

    def inside(rtt):
        return ['nsenter', '-t', Late(lambda: servers.link(rtt).here[2]), '-n', '--']

    def environment(url):
        return ['env', Late(lambda: 'AWS_ENDPOINT_URL=' + url()), Late(lambda: 'STORAGE_EMULATOR_HOST=' + url()), 'AWS_REGION=us-east-1',
                'AWS_ACCESS_KEY_ID=bench', 'AWS_SECRET_ACCESS_KEY=bench', 'NO_GCE_CHECK=true']

    near, far = Late(lambda: servers.near().url + '/x.tfrecord'), Late(lambda: servers.far().url + '/x.tfrecord')
    source, images = Late(lambda: servers.file() / 'x.tfrecord'), environment(servers.images)
    curl = ['bash', '-c', CURL, 'bash']
    aws = python and pathlib.Path(python).parent / 'aws'
    rows = [
        Row('remote-cat', '`cat` of 1 GB from nginx', '%d processes of `curl -r`' % NEAR,
            discard(tfr, 'cat', '-q', '--connections', NEAR, near), [*curl, near, NEAR], '≥ 0.8'),
        Row('remote-check', '`check` of 1 GB from nginx', '%d processes of `curl -r`' % NEAR,
            [tfr, 'check', '-q', '--connections', NEAR, near], [*curl, near, NEAR], '≥ 0.8'),
        Row('remote-far', '`check` of 1 GB at 50 ms and 1 Gbit/s', '%d processes of `curl -r`' % FAR,
            [*inside(50), tfr, 'check', '-q', far], [*inside(50), *curl, far, FAR], '≥ 0.9', pairs=3),
        Row('remote-upload', '`cat` of 1 GB to a bucket', '`aws s3 cp`',
            [*environment(servers.sink), tfr, 'cat', '-q', '-f', source, '-o', 's3://bench/ours.tfrecord'],
            python and [*environment(servers.sink), aws, 's3', 'cp', '--quiet', source, 's3://bench/theirs.tfrecord'], '≥ 0.8', pairs=3),
        Row('remote-images', '`shard` of %d images that are objects, at 20 ms' % place.images, 'a sequential loop',
            [*inside(20), *images, tfr, 'shard', '-q', '-f', 's3://bench/photos/', '-o', place.ram / 'out/images@16.tfrecord'],
            [*inside(20), python or sys.executable, TESTS / 'peer_remote.py', 'loop', Late(servers.images), LOOP], '≥ 10', rate=True,
            records=place.images, pairs=3, before=before)]
    rows[-1].images = True
    for peer, scheme, google in (('s3fs', 's3', ()), ('gcsfs', 'gs', ('--google',))):
        url = functools.partial(servers.large, *google)
        rows.append(Row('remote-far-' + peer, '`check` of 1 GB at 50 ms and 1 Gbit/s', peer + ' reads it',
                        [*inside(50), *environment(url), tfr, 'check', '-q', scheme + '://bench/x.tfrecord'],
                        python and [*inside(50), python, TESTS / 'peer_remote.py', peer, Late(url)], '', pairs=3))
    return rows
