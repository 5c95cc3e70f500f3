"""The rows of scripts/bench: which command of ours runs against which of whose, on what, and what the goal is."""
import pathlib
import shutil
import subprocess

from measure import Row

TESTS = pathlib.Path(__file__).resolve().parent
CRC_BLOCK = 512 << 10                     # what tfr reads at a time
FEED_MEMORY = 384 << 20
SMALL_SHARDS = 40                         # 104 MB each where there are 20 million
CLASSES = 15                              # of the pictures: a class a photograph, all of one size
PARSED, PARSED_RAGGED = 1_000_000, 200_000   # records that are parsed: of 192 bytes, and of ragged features
RAGGED = 17                               # features of the latter
PARSE_BATCH = 256
SMALL_CLASSES = [0.4, 0.3, 0.2, 0.1]      # as make_small deals them


def small_shards(ram, count=SMALL_SHARDS):
    """The first `count` files of the small records."""
    return [ram / ('small-%05d-of-%05d.tfrecord' % (n, SMALL_SHARDS)) for n in range(count)]


def shuffle(tfr, memory, shards, out):
    """Temporary records go to the RAM disk too."""
    return [tfr, 'shuffle-to-disk', '-q', '-m', memory, '--tmpdir', out, *shards, '-o', out / 'shuffled.tfrecord']


def clear(ram):
    """Takes away what the last run wrote."""
    shutil.rmtree(ram / 'out', ignore_errors=True)
    (ram / 'out').mkdir()


def shares(values):
    """As the peer takes them, and as tfr does."""
    return ','.join(map(str, values)), ','.join('%d=%s' % pair for pair in enumerate(values))


def every(place):
    """All rows.  `place` says where things lie: tfr, release (its build), photos, ram, python, dali, cores, and the
    numbers of pictures and of small records."""
    def before():
        clear(place.ram)

    return picture_rows(place, before) + parse_rows(place) + rewrite_rows(place, before) + small_rows(place, before)


def picture_shards(place):
    return sorted(str(p) for p in place.ram.glob('data-*-of-00016.tfrecord'))


def picture_rows(place, before):
    """What is made of pictures, and how they are read."""
    tfr, ram, photos, shards = place.tfr, place.ram, place.photos, picture_shards(place)
    tensorflow = [place.python, TESTS / 'peer_tensorflow.py']
    shard = [tfr, 'shard', '-q', photos, '-o', ram / 'out/train@16.tfrecord']
    tar = ['tar', 'cf', ram / 'out/all.tar', '-C', photos, '.']
    check = [tfr, 'check', '-q', *shards]
    feed = [tfr, 'bench-feed', '--json', '-q', '--device', 'host', '-m', FEED_MEMORY, '--batch', 64, '--size', 224,
            '--augment', 'random-resized-crop,flip,normalise', '--seconds', 10, '--epochs', 100, *shards]
    alone = [place.release / 'tests/decode_alone', ram / 'pictures.txt', place.cores, 224, 10]
    crc = [place.release / 'tests/readcrc', CRC_BLOCK, place.cores, *shards]
    exact, fast = [*tensorflow, 'feed', 'exact', *shards], [*tensorflow, 'feed', 'fast', *shards]
    return [
        Row('shard-tar', '`shard` to 16 shards', '`tar cf`', shard, tar, '≥ 1', before=before),
        Row('shard-tensorflow', '`shard` to 16 shards', 'TensorFlow, 2 processes', shard,
            [*tensorflow, 'shard', photos, ram / 'out/tf', 2], '', pairs=3, before=before),
        Row('check-tensorflow', '`check`', 'TensorFlow reads', check, [*tensorflow, 'count', *shards], '≥ 5'),
        Row('check-readcrc', '`check`', '`read()` + CRC-32C loop', check, crc, '≥ 0.8'),
        Row('count-tensorflow', '`count`', 'TensorFlow counts', [tfr, 'count', '-q', *shards],
            [*tensorflow, 'count', *shards], '≥ 50'),
        Row('feed-alone', '`bench-feed`', 'decode, crop, resize alone', feed, alone, '≥ 0.8', rate=True, pairs=3),
        Row('feed-tensorflow', '`bench-feed`', 'tf.data, exact decoding', feed, exact, '≥ 1.5', rate=True, pairs=3),
        Row('feed-tensorflow-fast', '`bench-feed`', 'tf.data, its default decoding', feed, fast, '≥ 1.5', rate=True,
            pairs=3),
        Row('feed-dali', '`bench-feed`', 'DALI on the CPU', feed, place.dali and [place.dali, TESTS / 'peer_dali.py', *shards],
            '≥ 2.2', rate=True, pairs=3),
    ]


def parse_rows(place):
    """Examples in memory into columns, with what a batch of training has; the inputs are made at the first run."""
    ram = place.ram
    small, ragged = ram / 'parse-00000-of-00001.tfrecord', ram / 'parse-ragged.tfrecord'

    def made():
        if not small.exists():
            subprocess.run([place.release / 'tests/make_small', str(PARSED), '1', ram / 'parse'], check=True)
        if not ragged.exists():
            subprocess.run([place.release / 'tests/make_ragged', str(PARSED_RAGGED), str(RAGGED), ragged], check=True)

    def row(name, job, layout, features, path):
        timed = [PARSE_BATCH, 3, features, path]
        return Row(name, job, '`parse_example`', [place.release / 'tests/parse_batches', layout, place.cores, *timed],
                   [place.python, TESTS / 'peer_tensorflow.py', 'parse', layout, *timed], '≥ 10', rate=True, before=made)

    return [
        row('parse-dense', '`tfr_batch_parse`, 192 bytes, dense', 'dense', 'label=int64,blob=bytes', small),
        row('parse-ragged', '`tfr_batch_parse`, 192 bytes, ragged', 'ragged', 'label=int64,blob=bytes', small),
        row('parse-ragged-many', '`tfr_batch_parse`, %d ragged int64' % RAGGED, 'ragged',
            ','.join('f%02d=int64' % n for n in range(RAGGED)), ragged),
    ]


def twice(out, *command):
    """What `command` prints, written to a file and, after that, to another: two passes of plain copying."""
    return ['sh', '-c', '"$@" > "$0/first" && "$@" > "$0/second"', out, *command]


def rewrite_rows(place, before):
    """The pictures shuffled, resampled and divided.

    Classes are of one size here, so the target is not uniform, where nothing would be rejected: the classes of odd number
    get half, 77 % is kept."""
    tfr, ram, shards = place.tfr, place.ram, picture_shards(place)
    out = ram / 'out'
    tensorflow = [place.python, TESTS / 'peer_tensorflow.py']
    initial, target = shares([1 / CLASSES] * CLASSES), shares([(2 - n % 2) / 23 for n in range(CLASSES)])
    shuffled = shuffle(tfr, '256M', shards, out)
    cat = [tfr, 'cat', '-q', *shards]
    resample = [tfr, 'resample', '-q', *shards, '-o', out / 'resampled.tfrecord', '--by', 'image/class/label',
                '--target', target[1]]
    reject = [*resample, '--method', 'reject', '--initial', initial[1]]
    return [
        Row('shuffle-cat', '`shuffle-to-disk -m 256M`', '`cat` twice', shuffled, twice(out, 'cat', *shards), '≥ 0.67',
            before=before),
        Row('shuffle-tensorflow', '`shuffle-to-disk -m 256M`', 'TensorFlow, all in memory', shuffled,
            [*tensorflow, 'shuffle', out / 'tf', place.pictures, *shards], '≥ 4', before=before),
        Row('resample-cat', '`resample --method reject`, 77 % kept', '`tfr cat`', reject, [*cat, '-o', out / 'all.tfrecord'],
            '≥ 0.77', before=before),
        Row('resample-exact-cat', '`resample`, counting first, 77 % kept', '`tfr cat` twice', resample, twice(out, *cat),
            '≥ 0.77', before=before),
        Row('resample-tensorflow', '`resample --method reject`, 77 % kept', 'TensorFlow, rejection_resample', reject,
            [*tensorflow, 'resample', out / 'tf', place.pictures, 'image/class/label', initial[0], target[0], *shards],
            '≥ 5', before=before),
        Row('split-cat', '`split`, 9 to 1', '`tfr cat`',
            [tfr, 'split', '-q', *shards, '-o', out / 'train@16.tfrecord=0.9', '-o', out / 'val@2.tfrecord=0.1'],
            [*cat, '-o', out / 'all.tfrecord'], '', before=before),
    ]


def small_rows(place, before):
    """The same where records are small: what a record costs.  TensorFlow does a part of them, and rates are compared."""
    tfr, ram, n = place.tfr, place.ram, place.small_records
    out, shards = ram / 'out', small_shards(ram)
    tensorflow = [place.python, TESTS / 'peer_tensorflow.py']
    initial, target = shares(SMALL_CLASSES), shares([1 / len(SMALL_CLASSES)] * len(SMALL_CLASSES))
    shuffled = shuffle(tfr, '256M', shards, out)
    cat = [tfr, 'cat', '-q', *shards]
    resample = [tfr, 'resample', '-q', *shards, '-o', out / 'resampled.tfrecord', '--by', 'label', '--target', 'uniform']
    reject = [*resample, '--method', 'reject', '--initial', initial[1]]
    parts = {'shuffle': n // 20, 'resample': n // 100}

    def row(name, job, peer_name, ours, peer, goal, **more):
        return Row(name, job + ', small records', peer_name, ours, peer, goal, pairs=3, before=before, small=True, **more)

    return [
        row('shuffle-small-cat', '`shuffle-to-disk -m 256M`', '`cat` twice', shuffled, twice(out, 'cat', *shards),
            '≥ 0.4'),
        row('shuffle-small-tensorflow', '`shuffle-to-disk -m 256M`', 'TensorFlow, all in memory', shuffled,
            [*tensorflow, 'shuffle', out / 'tf', parts['shuffle'], *shards], '≥ 20', rate=True, records=n),
        row('resample-small-cat', '`resample --method reject`, 40 % kept', '`tfr cat`', reject,
            [*cat, '-o', out / 'all.tfrecord'], '≥ 0.77'),
        row('resample-small-exact-cat', '`resample`, counting first, 40 % kept', '`tfr cat` twice', resample,
            twice(out, *cat), '≥ 0.77'),
        row('resample-small-tensorflow', '`resample --method reject`, 40 % kept', 'TensorFlow, rejection_resample', reject,
            [*tensorflow, 'resample', out / 'tf', parts['resample'], 'label', initial[0], target[0], *shards], '≥ 5',
            rate=True, records=n),
        row('split-small-cat', '`split`, 9 to 1', '`tfr cat`',
            [tfr, 'split', '-q', *shards, '-o', out / 'train@16.tfrecord=0.9', '-o', out / 'val@2.tfrecord=0.1'],
            [*cat, '-o', out / 'all.tfrecord'], ''),
    ]
