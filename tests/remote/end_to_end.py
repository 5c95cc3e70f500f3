"""The chain that a user runs, from images to a feed, between two stores; and others' programs on what it leaves."""
import json
import subprocess

from harness import DATA, Unavailable, case


def _sum(t, name):
    return t.good('count', '--sum', name).out.decode().split()[:2]


def _chain(t):
    t.good('shard', '--verify-images', DATA + 'images', '-o', 's3://train/x@16.tfrecord')
    t.good('check', '--manifest', 's3://train/x@16.tfrecord')
    t.good('shuffle-to-disk', 's3://train/x@16.tfrecord', '-o', 'gs://other/x@8.tfrecord')
    t.good('check', 'gs://other/x@8.tfrecord')
    t.good('shard', '--verify-images', DATA + 'images', '-o', t.path('x@16.tfrecord'))
    wanted = t.good('count', '--sum', t.path('x@16.tfrecord')).out.decode().split()
    for name in ('s3://train/x@16.tfrecord', 'gs://other/x@8.tfrecord'):
        found = t.good('count', '--sum', name).out.decode().split()
        assert found[:len(found) - 1] == wanted[:len(wanted) - 1], '%s: %r is not %r' % (name, found, wanted)
    feed = t.good('bench-feed', '--steps', '3', '--batch', '4', '--epochs', '5', 'gs://other/x@8.tfrecord', limit=120)
    assert b'request' in feed.out or 'request' in feed.err, feed


@case
def shard_check_shuffle_feed(t):
    s, g = t.store(), t.store(google=True)
    _chain(t)
    assert not s.uploads and not g.uploads
    assert len([k for k in g.keys_of('other') if '-of-' in k]) == 8


@case
def shard_check_shuffle_feed_with_moto(t):
    """TensorFlow reads what boto3 downloads."""
    g = t.store(google=True)
    m = t.moto()
    client = m.client()
    client.create_bucket(Bucket='train')
    _chain(t)
    names = []
    for item in client.list_objects_v2(Bucket='train', Prefix='x-')['Contents']:
        names.append(t.path('down-' + item['Key']))
        client.download_file('train', item['Key'], names[-1])
    for name in g.keys_of('other'):
        if '-of-' in name:
            names.append(t.path('other-' + name))
            with open(names[-1], 'wb') as out:
                out.write(g.get('other', name))
    assert len(names) == 24
    if not t.tensorflow:
        raise Unavailable('no TensorFlow here')
    program = ('import json, sys, hashlib, tensorflow as tf\n'
               'for part in (0, 1):\n'
               '    files = [n for n in sys.argv[1:] if ("other-" in n) == bool(part)]\n'
               '    print(json.dumps(sorted(hashlib.sha256(r.numpy()).hexdigest() for r in tf.data.TFRecordDataset(files))))\n')
    out = subprocess.run([t.tensorflow, '-c', program, *names], capture_output=True, text=True, check=True, timeout=120).stdout
    first, second = map(json.loads, out.splitlines()[-2:])
    assert first and first == second


@case
def awscli_and_boto3_see_the_same_objects(t):
    m = t.moto()
    client = m.client()
    client.create_bucket(Bucket='peers')
    t.good('cat', DATA + 'images.tfrecord', '-o', 's3://peers/ours.tfrecord')
    with open(DATA + 'images.tfrecord', 'rb') as f:
        client.upload_fileobj(f, 'peers', 'theirs.tfrecord')
    assert _sum(t, 's3://peers/ours.tfrecord') == _sum(t, 's3://peers/theirs.tfrecord')


@case
def s3fs_reads_what_tfr_writes(t):
    try:
        import s3fs
    except ImportError as e:
        raise Unavailable('no s3fs here: %s' % e) from None
    m = t.moto()
    m.client().create_bucket(Bucket='fsspec')
    t.good('cat', DATA + 'images.tfrecord', '-o', 's3://fsspec/ours.tfrecord')
    files = s3fs.S3FileSystem(key=m.key, secret=m.secret, endpoint_url=m.url)
    assert files.cat_file('fsspec/ours.tfrecord') == t.good('cat', DATA + 'images.tfrecord').out
