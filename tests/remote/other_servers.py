"""A store that others wrote: the chain of commands, whose results are those of local files by their checksums.

In `scripts/test --remote` the store is SeaweedFS.  For another one that listens already and has an empty bucket "train", by hand:

    AWS_ENDPOINT_URL=http://127.0.0.1:9000 AWS_ACCESS_KEY_ID=... python3 tests/remote/other_servers.py build/cmd/tfr

which prints one line per check."""
import concurrent.futures
import contextlib
import hashlib
import json
import os
import shlex
import subprocess
import sys

from harness import DATA, MIB, case, folder, read, records, write
from servers.seaweedfs import SeaweedFS

NAMES = ['plain', 'sp ace', 'per%cent', 'plus+', 'am&p=er', 'ünïcode', 'semi;colon', 'tilde~', 'comma,', 'deep/er/deeper', 'ha#sh', "quo'te"]


class Checks:
    """Both places: `here` is a folder with local files, `there` a prefix of the bucket."""

    def __init__(self, t, client):
        self.t, self.client, self.here, self.there = t, client, t.path('local'), 's3://train/'
        os.makedirs(self.here, exist_ok=True)
        for name in os.listdir(DATA + 'images/jpeg'):
            write(t.path('photos/a/' + name), read(DATA + 'images/jpeg/' + name))
            write(t.path('photos/b/' + name), read(DATA + 'images/jpeg/' + name) + b'b')
        write(t.path('big'), records(600, 20000))

    def put(self, key, data):
        self.client.put_object(Bucket='train', Key=key, Body=data)

    def left(self):
        """What doctor says of uploads."""
        result = self.t.run('doctor', '--json', self.there, limit=120)
        assert result.status in (0, 1), result
        return [f for f in json.loads(result.out)['findings'] if f['name'] in ('temporary', 'uploads')]

    def cat(self, name):
        return hashlib.sha256(self.t.good('cat', '--allow-empty', name, limit=120).out).hexdigest()

    def same(self, name):
        """The records of a set, and its files, are the same here and there."""
        ours, theirs = self.here + '/' + name, self.there + name
        assert self.cat(ours) == self.cat(theirs), name
        assert self.t.good('count', '--sum', theirs).out.split()[:2] == self.t.good('count', '--sum', ours).out.split()[:2], name

    def both(self, *arguments):
        """The command with HERE and THERE in place of {}."""
        for place in (self.here + '/', self.there):
            self.t.good(*(str(a).replace('{}', place) for a in arguments), limit=120)

    def put_all(self, objects):
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(self.put, objects, objects.values()))

    # --- the checks, in order ---

    def shard(self):
        self.both('shard', self.t.path('photos'), '-o', '{}x@4.tfrecord')
        self.same('x@4.tfrecord')

    def check_with_the_manifest(self):
        self.t.good('check', '--manifest', self.there + 'x@4.tfrecord')

    def a_pattern(self):
        self.same('x@*.tfrecord')
        assert self.t.good('count', self.there + 'x-*.tfrecord').out == self.t.good('count', self.here + '/x-*.tfrecord').out

    def refusal_without_force(self):
        before = self.cat(self.there + 'x@4.tfrecord')
        self.t.fails(2, 'shard', self.t.path('photos/a'), '-o', self.there + 'x@4.tfrecord', says='overwrite|exist')
        assert self.cat(self.there + 'x@4.tfrecord') == before

    def replacing_with_force(self):
        self.both('shard', '-f', self.t.path('photos/a'), '-o', '{}x@4.tfrecord')
        self.same('x@4.tfrecord')

    def parts(self):
        self.both('cat', self.t.path('big'), '-o', '{}big.tfrecord', '--part-size', '5M')
        self.same('big.tfrecord')

    def refusal_of_parts_without_force(self):
        self.t.fails(2, 'cat', self.t.path('big'), '-o', self.there + 'big.tfrecord', '--part-size', '5M', says='overwrite|exist')
        self.same('big.tfrecord')

    def replacing_parts(self):
        self.both('cat', '-f', self.t.path('big'), self.t.path('big'), '-o', '{}big.tfrecord', '--part-size', '5M')
        self.same('big.tfrecord')

    def shuffle(self):
        self.both('shuffle', '--seed', 7, '{}big.tfrecord', '-o', '{}mixed@8.tfrecord')
        self.same('mixed@8.tfrecord')

    def split(self):
        self.both('split', '--seed', 7, '{}mixed@8.tfrecord', '-o', '{}train@2.tfrecord=0.8', '-o', '{}val@2.tfrecord')
        self.same('train@2.tfrecord')
        self.same('val@2.tfrecord')

    def index_and_records(self):
        self.both('index', '{}big.tfrecord')
        for place in (self.here + '/', self.there):
            assert self.t.good('cat', '--records', '1190', place + 'big.tfrecord').out == self.t.good('cat', '--records', '1190', self.here + '/big.tfrecord').out

    def gzip(self):
        self.both('cat', self.t.path('big'), '-o', '{}big.tfrecord.gz')
        self.same('big.tfrecord.gz')

    def an_empty_object(self):
        self.put('empty', b'')
        assert self.t.good('count', self.there + 'empty').out.split()[0] == b'0'
        self.t.fails(3, 'count', self.there + 'none', hint=False)

    def sizes_around_the_first_request(self):
        for size in (1, 262143, 262144, 262145, 9 * MIB):
            data = records(1, size - 16) if size > 16 else b''
            self.put('size', data)
            write(self.here + '/size', data)
            assert self.cat(self.there + 'size') == self.cat(self.here + '/size'), size

    def names(self):
        data = records(3, 100)
        write(self.here + '/n', data)
        for name in NAMES:
            self.put('odd/' + name, data)
            assert self.cat(self.there + 'odd/' + name) == self.cat(self.here + '/n'), name

    def names_that_tfr_writes(self):
        for name in NAMES:
            self.t.good('cat', self.here + '/n', '-o', self.there + 'written/' + name)
            assert self.cat(self.there + 'written/' + name) == self.cat(self.here + '/n'), name

    def more_than_a_page(self):
        """Folders whose names other keys continue, in more than 1,000 keys."""
        data = records(1, 100)
        self.put_all({'many/d/a%03d' % i: data for i in range(700)} | {'many/d-b/a%03d' % i: data for i in range(350)})
        for pattern, n in (('many/d/*', 700), ('many/d-b/*', 350), ('many/*/*', 1050)):
            found = self.t.good('count', self.there + pattern).out.split()
            assert sum(map(int, found)) == n, '%s: %r' % (pattern, found[:5])

    def images_of_more_than_a_page(self):
        image = read(DATA + 'images/jpeg/gray.jpg')
        images = {'photos/%s/a%03d.jpg' % (name, i): image + b'%d' % i for name, n in (('d', 700), ('d-b', 350)) for i in range(n)}
        self.put_all(images)
        for name, data in images.items():
            write(self.here + '/' + name, data)
        self.both('shard', '{}photos/', '-o', '{}photos@2.tfrecord')
        self.same('photos@2.tfrecord')

    def nothing_is_left(self):
        assert not self.left(), self.left()

    def an_upload_that_is_left(self):
        target = {'Bucket': 'train', 'Key': 'left/sp ace%20+'}
        target['UploadId'] = self.client.create_multipart_upload(**target)['UploadId']
        found = self.left()
        self.client.abort_multipart_upload(**target)
        assert len(found) == 1 and {target['Key'], target['UploadId']} < set(shlex.split(found[0]['command'])), found

    def a_run_that_is_killed(self):
        """And is run again."""
        child = self.t.start('shuffle', '--seed', 3, self.there + 'big.tfrecord', '-o', self.there + 'again@4.tfrecord', '--part-size', '5M')
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.communicate(timeout=.3)
        child.kill()
        child.communicate()
        self.both('shuffle', '-f', '--seed', 3, '{}big.tfrecord', '-o', '{}again@4.tfrecord', '--part-size', '5M')
        self.same('again@4.tfrecord')
        self.t.good('check', '--manifest', self.there + 'again@4.tfrecord')

    def feed(self):
        self.t.good('bench-feed', '--steps', 3, '--batch', 4, self.there + 'x@4.tfrecord', limit=120)


CHECKS = [f for n, f in vars(Checks).items() if not n.startswith('_') and n not in ('put', 'left', 'cat', 'same', 'both', 'put_all')]


@case
def seaweedfs(t):
    s = t.shared.get('seaweedfs', SeaweedFS)
    t.environment |= s.environment()
    client = s.client()
    client.create_bucket(Bucket='train')
    checks = Checks(t, client)
    for check in CHECKS:
        check(checks)


def main():
    import boto3
    import harness
    harness.no_core()
    with folder() as here:
        t = harness.Test(os.path.abspath(sys.argv[1]), here, None)
        t.environment = {k: v for k, v in os.environ.items() if k.startswith('AWS_')}
        client = boto3.client('s3', endpoint_url=os.environ['AWS_ENDPOINT_URL'], region_name='us-east-1')
        checks, passed = Checks(t, client), 0
        for check in CHECKS:
            try:
                check(checks)
                passed += 1
                print('passed', check.__name__, flush=True)
            except Exception as e:
                print('failed %s %s' % (check.__name__, ' '.join(str(e).split())[-500:]), flush=True)
        print('%d of %d' % (passed, len(CHECKS)))
        return passed < len(CHECKS)


if __name__ == '__main__':
    sys.exit(main())
