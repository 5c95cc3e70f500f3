"""The rows of scripts/bench that measure the feed: the same step on the same files, by us and by whom it is done today.

Images go to 224 x 224 float32 in batches of 64, shuffled in a buffer of 2048; features without images to batches of
256.  All read without an end.  A peer is measured after a warm-up.  Ours is measured over the whole run beside tf.data, opening
and the first batch included, and from its first batch on beside the others.
"""
import pathlib
import subprocess

from measure import Row

TESTS = pathlib.Path(__file__).resolve().parent
MEMORY = '384M'
IMAGES = 64                             # in a batch of them
SECONDS = 10                              # of a feed of images
SHORT = 5                                 # of one without
FILES = 8                                 # that features lie in
RECORDS = {'mixed': 400_000, 'ragged': 200_000}
RAGGED = 17                               # int64 features of uneven length in the latter
DENSE = {'id': 'int64', 'label': 'int64', 'embedding': 'float[8]', 'visited': 'int64[8]'}
RAGGED_FEATURES = {'f%02d' % n: 'int64[]' for n in range(RAGGED)}
BATCH = 256
SAMPLES, SOUND_BUFFER = 16000, 512        # of a sound in a batch; the shuffle buffer of sounds of 160 KB
LARGE, LARGE_FILES, PIECE_KIB = 1600, 16, 512   # records of 1 MiB, their files, and what the yardstick reads at a time
READ, BUFFER = '4:16', 2048               # files read at once, records of each in turn; the shuffle buffer


def feed(place, files, *options, seconds=SECONDS, device='host'):
    return [place.tfr, 'bench-feed', '--json', '-q', '--device', device, '-m', MEMORY, '--seconds', seconds, '--epochs',
            1_000_000, *options, *files]


def image_feed(place, shards, shape='random-resized-crop', **more):
    return feed(place, shards, '--batch', IMAGES, '--size', 224, '--augment', shape + ',flip,normalise', **more)


def images(place, shards):
    """Beside the work alone, tf.data and DALI; and on one processor beside two."""
    alone = [place.release / 'tests/decode_alone', place.ram / 'images.txt', place.cores, 224, SECONDS]
    rows = []

    def row(name, job, peer_name, ours, peer, goal):
        rows.append(Row(name, job, peer_name, ours, peer, goal, rate=True, pairs=3))

    def against_all(name, job, shape, window, alone_name, goals):
        ours = image_feed(place, shards, shape)
        tensorflow = [place.python, TESTS / 'peer_tensorflow.py', 'feed']
        dali = place.dali and [place.dali, TESTS / 'peer_dali.py', window, *shards]

        row(name + '-alone', job, alone_name, ours, [*alone, window], goals[0])
        row(name + '-tensorflow', job, 'tf.data, exact decoding', ours, [*tensorflow, 'exact', window, *shards], goals[1])
        row(name + '-tensorflow-fast', job, 'tf.data, its default decoding', ours, [*tensorflow, 'fast', window, *shards],
            goals[1])
        row(name + '-dali', job, 'DALI on the CPU', ours, dali, goals[2])

    against_all('feed', '`bench-feed`', 'random-resized-crop', 'crop', 'decode, crop, resize alone',
                ('≥ 0.88', '≥ 1.7', '≥ 2.5'))
    against_all('feed-whole', '`bench-feed`, whole images', 'resize', 'whole', 'decode, resize alone',
                ('≥ 0.88', '≥ 1.4', ''))
    if place.cores > 1:
        ours = image_feed(place, shards)
        first, second = place.processors[:2]
        row('feed-scaling', '`bench-feed` on 2 processors', 'the same on 1',
            ['taskset', '-c', '%d,%d' % (first, second), *ours], ['taskset', '-c', first, *ours], '≥ 1.85')
    return rows


def sounds(place, folder, make):
    """A second of each sound, from anywhere in it, to batches of 64; the set is made at the first run."""
    shards = [place.ram / ('sounds-%05d-of-%05d.tfrecord' % (n, FILES)) for n in range(FILES)]

    def made():
        make()
        if not shards[-1].exists():
            subprocess.run([place.tfr, 'shard', '-q', '--no-shuffle', folder, '-o', place.ram / ('sounds@%d.tfrecord' % FILES)], check=True)

    ours = feed(place, shards, '--stages', 'read=%s,parse,shuffle=%d,decode=audio,random-crop=%d,batch=%d,upload' % (
        READ, SOUND_BUFFER, SAMPLES, IMAGES), seconds=SHORT)
    peer = [place.python, TESTS / 'peer_tensorflow.py', 'sounds', READ, SOUND_BUFFER, IMAGES, SAMPLES, SHORT, *shards]
    return [Row('feed-sounds', '`bench-feed`, a second of WAV files of 16 bits', 'tf.data, `decode_wav`', ours, peer, '≥ 3',
                rate=True, pairs=3, before=made)]


def large_files(place):
    return [place.ram / ('large-%05d-of-%05d.tfrecord' % (n, LARGE_FILES)) for n in range(LARGE_FILES)]


def make_large(place):
    """Once; returns the files."""
    files = large_files(place)
    if not files[-1].exists():
        subprocess.run([str(a) for a in [place.release / 'tests/make_small', LARGE, LARGE_FILES, place.ram / 'large', 1 << 20]], check=True)
    return files


def large(place):
    """Records of 1 MiB into batches in staging memory, and on into the memory of the device, against a loop that reads, checks
    and copies them once with as many threads."""
    files = large_files(place)

    def row(name, job, stages, goal):
        ours = [place.tfr, 'bench-feed', '--json', '-q', '--device', 'host', '-j', place.cores, '--seconds', SHORT, '--epochs', 1_000_000,
                '--stages', stages, *files]
        peer = [place.release / 'tests/copy_alone', PIECE_KIB, place.cores, SHORT, *files]
        return Row(name, job, 'read, CRC-32C, copy once', ours, peer, goal, rate=True, before=lambda: make_large(place))

    return [row('feed-large', '`bench-feed`, batches of 16 records of 1 MiB, assembled', 'read=4:1,batch=16', '≥ 0.8'),
            row('feed-large-upload', '`bench-feed`, batches of 16 records of 1 MiB, copied to host too', 'read=4:1,batch=16,upload', '')]


def feature_options(wanted):
    return [part for name, kind in wanted.items() for part in ('--feature', '%s:%s' % (name, kind))]


def columns(place, kind):
    """What makes the records that become columns, at the first run that wants them, and the files they are in."""
    files = [place.ram / ('%s-%05d-of-%05d.tfrecord' % (kind, n, FILES)) for n in range(FILES)]
    arguments = {'mixed': [place.release / 'tests/make_values', 'mixed', RECORDS['mixed']],
                 'ragged': [place.release / 'tests/make_ragged', RECORDS['ragged'], RAGGED]}[kind]

    def made():
        one, set_ = place.ram / (kind + '.tfrecord'), place.ram / ('%s@%d.tfrecord' % (kind, FILES))
        if not files[-1].exists():
            subprocess.run([str(a) for a in [*arguments, one]], check=True)
            subprocess.run([place.tfr, 'shard', '-q', '--from', 'records', one, '-o', set_], check=True)
            one.unlink()

    return made, files


def features(place):
    """Records into columns in device memory."""
    rows = []
    made_mixed, mixed = columns(place, 'mixed')
    made_ragged, ragged = columns(place, 'ragged')

    def row(name, job, peer_name, wanted, files, made, how, goal, stages='read=%s,parse,shuffle=%d,batch=%d,upload'):
        ours = feed(place, files, '--stages', stages % (READ, BUFFER, BATCH), *feature_options(wanted), seconds=SHORT)
        peer = [place.python, TESTS / 'peer_tensorflow.py', 'features', how, READ, BUFFER, BATCH, SHORT,
                ','.join('%s:%s' % pair for pair in wanted.items()), *files]
        rows.append(Row(name, job, peer_name, ours, peer, goal, rate=True, pairs=3, before=made))

    dense_job, ragged_job = '`bench-feed`, 18 numbers a record, dense', '`bench-feed`, %d ragged int64' % RAGGED
    row('features-dense', dense_job, 'tf.data, batched `parse_example`', DENSE, mixed, made_mixed, 'batched', '≥ 10')
    row('features-ragged', ragged_job, 'tf.data, batched `parse_example`', RAGGED_FEATURES, ragged, made_ragged, 'batched', '≥ 10')
    row('features-loop', ragged_job, 'tf.data, a plain loop', RAGGED_FEATURES, ragged, made_ragged, 'loop', '')
    row('features-cached', dense_job + ', cached', 'tf.data, `cache()`', DENSE, mixed, made_mixed, 'cached', '',
        'read=%s,cache,parse,shuffle=%d,batch=%d,upload')
    return rows
