"""The rows of scripts/bench: which command of ours runs against which of whose, on what, and what the goal is."""
import pathlib
import shutil
import subprocess
import sys

import cluster_rows
import engine_rows
import feed_rows
import python_rows
import remote_rows
from measure import Row

TESTS = pathlib.Path(__file__).resolve().parent
CRC_BLOCK = 512 << 10                     # what tfr reads at a time
SMALL_SHARDS = 40                         # 104 MB each where there are 20 million
CLASSES = 15                              # of the images: a class a photograph, all of one size
PARSED_RAGGED = 200_000                   # records of ragged features that are parsed
RAGGED = 17                               # features of the latter
PARSE_BATCH, PARSE_LARGE_BATCH = 256, 8192   # what fits into a cache, and what does not
READ, READ_SHARDS = 1_000_000, 8          # records of 192 bytes that are read, 208 MB, and the files that they are in
READ_LARGE = 3000                         # records of 64 KiB
TABLE = 500_000                          # rows of 18 columns: 60 MB of CSV, 140 MB of JSON lines
GZIP_WRITTEN = 150_000                    # records that TensorFlow compresses in a run; ours takes all
SOUNDS = 3000                             # WAV files, 480 MB
ARRAY_ROWS, ARRAY_LOOP = 250_000, 20_000   # rows of 256 floats, 256 MB, and how many of them Python writes in a run


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


def every(place):
    """All rows.  `place` says where things lie: tfr, release (its build), photos, ram, python, dali, cores, and the
    numbers of images and of small records."""
    def before():
        clear(place.ram)

    images = image_rows(place, before) + feed_rows.images(place, image_shards(place)) + rewrite_rows(place, before)
    for row in images:
        row.images = True
    return (images + sound_rows(place, before) + array_rows(place, before) + table_rows(place, before) + read_rows(place) + gzip_rows(place, before) + parse_rows(place)
            + feed_rows.features(place) + feed_rows.large(place)
            + python_rows.every(place, maker(place, 'one', READ, 1), feed_rows.columns(place, 'mixed'), feed_rows.columns(place, 'ragged'))
            + engine_rows.every(place, maker(place, 'few', engine_rows.RAY_RECORDS, 1), maker(place, 'one', READ, 1), READ)
            + remote_rows.every(place, before) + cluster_rows.every(place, before) + small_rows(place, before))


def sound_rows(place, clear_out):
    """A folder of WAV files into records, against the same bytes into one file, and into several by the plainest loop that
    verifies what it writes; then fed."""
    sounds = place.ram / 'sounds'

    def made():
        if not sounds.exists():
            subprocess.run([sys.executable, TESTS / 'make_audio.py', sounds, str(SOUNDS)], check=True)

    def before():
        clear_out()
        made()

    cat = 'find "$1" -name "*.wav" -print0 | sort -z | xargs -0 cat > "$2"'
    loop = 'find "$1" -name "*.wav" | sort | "$2" 16 "$3"'
    shard = [place.tfr, 'shard', '-q', '--no-shuffle', sounds, '-o', place.ram / 'out/heard@16.tfrecord']
    return [Row('shard-wav-cat', '`shard` of WAV to 16 shards', '`cat`', shard,
                ['bash', '-c', cat, 'cat', sounds, place.ram / 'out/all'], '≥ 0.8', before=before),
            Row('shard-wav-loop', '`shard` of WAV to 16 shards', 'open, read, verify, write in a loop', shard,
                ['bash', '-c', loop, 'loop', sounds, place.release / 'tests/copy_files', place.ram / 'out/all'], '≥ 0.9',
                before=before),
            *feed_rows.sounds(place, sounds, made)]


def array_rows(place, clear_out):
    """Rows of arrays into records, against a loop in Python that writes them with TensorFlow, and against the bytes copied."""
    arrays, out = place.ram / 'arrays', place.ram / 'out'

    def before():
        clear_out()
        if not arrays.exists():
            subprocess.run([place.python, TESTS / 'make_arrays.py', arrays, str(ARRAY_ROWS)], check=True)

    def rows(name, job, *files):
        ours = [place.tfr, 'shard', '-q', *files, '-o', out / 'rows.tfrecord']
        loop = [place.python, TESTS / 'peer_tensorflow.py', 'arrays', out / 'loop.tfrecord', ARRAY_LOOP, *files]
        return [Row(name + '-tensorflow', job, 'a loop, TensorFlow', ours, loop, '≥ 20', rate=True, records=ARRAY_ROWS, before=before),
                Row(name + '-cat', job, '`cat`', ours, ['sh', '-c', 'cat "$@" > "$0"', out / 'all', *files], '', before=before)]

    return (rows('shard-npy', '`shard` of NPY', arrays / 'vector.npy', arrays / 'label.npy')
            + rows('shard-hdf5', '`shard` of HDF5', arrays / 'arrays.h5'))


def table_rows(place, clear_out):
    """Tables into records and back, beside what reads them into columns in memory, or writes columns that are there."""
    table, out = place.ram / 'table', place.ram / 'out'
    names = 'id,user,when,lat,lon,score,price,count,flag,city,title,a1,a2,a3,f1,f2,f3,note'

    def before():
        clear_out()
        if not table.exists():
            subprocess.run([sys.executable, TESTS / 'make_table.py', table, str(TABLE)], check=True)
            subprocess.run([place.tfr, 'shard', '-q', table / 'table.csv', '-o', table / 'table.tfrecord'], check=True)

    def row(form, work, library):
        ours = ([place.tfr, 'shard', '-q', table / ('table.' + form), '-o', out / 'table@16.tfrecord'] if work == 'read' else
                [place.tfr, 'export', '-q', *(['--columns', names] if form == 'csv' else []), table / 'table.tfrecord', '-o',
                 out / ('table.' + form)])
        peer = place.tables and [place.tables, TESTS / 'peer_tables.py', library, work, form, table, out / ('peer.' + form)]
        said = {'csv': 'CSV', 'jsonl': 'JSON lines'}[form]
        return Row('%s-%s-%s' % ({'read': 'shard', 'write': 'export'}[work], form, library),
                   '`shard` of %s' % said if work == 'read' else '`export` to %s' % said,
                   library + (' reads it' if work == 'read' else ' writes it'), ours, peer, '', before=before)

    return [row(form, work, library) for work in ('read', 'write') for form in ('csv', 'jsonl') for library in ('pyarrow', 'pandas')
            if (form, work, library) != ('jsonl', 'write', 'pyarrow')]


def maker(place, base, records, shards, *size):
    """What makes records at the first run that wants them, and the files they are in."""
    files = [place.ram / ('%s-%05d-of-%05d.tfrecord' % (base, n, shards)) for n in range(shards)]

    def made():
        if not files[-1].exists():
            subprocess.run([place.release / 'tests/make_small', str(records), str(shards), place.ram / base, *size],
                           check=True)

    return made, files


def read_rows(place):
    """A million records of 192 bytes, in one file and in several, and large ones: counted and checked."""
    made_one, one = maker(place, 'one', READ, 1)
    made_some, some = maker(place, 'some', READ, READ_SHARDS)
    made_large, large = maker(place, 'large', READ_LARGE, READ_SHARDS, str(1 << 16))
    rows = []

    def tensorflow(name, job, verb, goal, made, files):
        rows.append(Row(name, job, 'TensorFlow counts', [place.tfr, verb, '-q', *files],
                        [place.python, TESTS / 'peer_tensorflow.py', 'count-small', *files], goal, before=made))

    def readcrc(name, job, made, files):
        rows.append(Row(name, job, '`read()` + CRC-32C loop', [place.tfr, 'check', '-q', *files],
                        [place.release / 'tests/readcrc', CRC_BLOCK, place.cores, *files], '≥ 0.85', pairs=15, before=made))

    tensorflow('count-192-tensorflow', '`count`, 192 bytes, 8 files', 'count', '≥ 40', made_some, some)
    tensorflow('count-192-one-tensorflow', '`count`, 192 bytes, one file', 'count', '≥ 40', made_one, one)
    readcrc('check-192-readcrc', '`check`, 192 bytes, 8 files', made_some, some)
    readcrc('check-192-one-readcrc', '`check`, 192 bytes, one file', made_one, one)
    readcrc('check-64k-readcrc', '`check`, 64 KiB, 8 files', made_large, large)
    for command in 'schema', 'stats':
        rows.append(Row(command + '-192-check', '`%s`, 192 bytes, 8 files' % command, '`tfr check --example`',
                        [place.tfr, command, '-q', *some], [place.tfr, 'check', '-q', '--example', *some], '≥ 0.5', before=made_some))
    return rows + diff_rows(place, made_some, some)


def diff_rows(place, made_some, some):
    """A million records in 8 files, against the same in another order, and against nine of ten of them."""
    listed, other, fewer = (place.ram / name for name in ('some.list', 'some-shuffled.tfrecord', 'some-fewer.tfrecord'))

    def made():
        made_some()
        listed.write_text(''.join('%s\n' % path for path in some))
        if not fewer.exists():
            subprocess.run([place.tfr, 'shuffle-to-disk', '-q', *some, '-o', other, '-f'], check=True)
            subprocess.run([place.tfr, 'cat', '-q', '--where', 'label < 3', other, '-o', fewer, '-f'], check=True)

    def row(name, job, goal, against, *options):
        ours = [place.tfr, 'diff', '-q', *options, '@%s' % listed, against]
        # Status 1 is what is to come where they differ.
        return Row(name, job, '`tfr check --example` of both', ['bash', '-c', '"$@" || test $? = 1', 'diff', *ours],
                   [place.tfr, 'check', '-q', '--example', *some, against], goal, before=made)

    return [row('diff-192-same-check', '`diff`, the same records in another order', '≥ 1', other),
            row('diff-192-records-check', '`diff --only records`, a tenth differs', '≥ 0.7', fewer, '--only', 'records'),
            row('diff-192-all-check', '`diff`, a tenth differs', '≥ 0.25', fewer),
            row('diff-192-overlap-check', '`diff --overlap`', '≥ 0.7', fewer, '--overlap')]


def gzip_rows(place, clear_out):
    """Records of 192 bytes written to GZIP and read from it."""
    made_plain, plain = maker(place, 'one', READ, 1)
    tensorflow = [place.python, TESTS / 'peer_tensorflow.py']
    theirs, ours = place.ram / 'theirs.gz', place.ram / 'ours.gz'

    def before():
        clear_out()
        made_plain()

    def made(path, command):
        def make():
            made_plain()
            if not path.exists():
                subprocess.run([str(a) for a in command], check=True, stdout=subprocess.DEVNULL)
        return make

    def written(name, job, peer, level, ours_level, goal):
        out = place.ram / 'out'
        return Row(name, job, peer, [place.tfr, 'cat', '-q', '-z', 'gzip', *ours_level, *plain, '-o', out / 'ours.gz'],
                   [*tensorflow, 'gzip', out / 'theirs.gz', level, GZIP_WRITTEN, *plain], goal, rate=True, records=READ,
                   pairs=3, before=before)

    def read(name, job, path, command, goal, alone_goal):
        check, before = [place.tfr, 'check', '-q', path], made(path, command)
        return [Row(name, job, 'TensorFlow counts', check, [*tensorflow, 'count-gzip', path], goal, before=before),
                Row(name + '-alone', job, 'inflating alone, one core', check, [place.release / 'tests/inflate_alone', path],
                    alone_goal, before=before)]

    return [
        written('gzip-write-tensorflow', '`cat -z gzip`, 192 bytes', 'TensorFlow writes', -1, [], '≥ 12'),
        written('gzip-write-fast-tensorflow', '`cat -z gzip -1`, 192 bytes', 'TensorFlow writes, level 1', 1, ['-1'], ''),
        *read('gzip-read-theirs', '`check` of GZIP that TensorFlow wrote', theirs,
              [*tensorflow, 'gzip', theirs, -1, READ, *plain], '≥ 2.5', '≥ 0.9'),
        *read('gzip-read-ours', '`check` of GZIP that tfr wrote', ours,
              [place.tfr, 'cat', '-q', '-z', 'gzip', *plain, '-o', ours], '≥ 4', '≥ 1.7'),
    ]


def image_shards(place):
    return sorted(str(p) for p in place.ram.glob('data-*-of-00016.tfrecord'))


def image_rows(place, before):
    """What is made of images, and how they are read."""
    tfr, ram, photos, shards = place.tfr, place.ram, place.photos, image_shards(place)
    tensorflow = [place.python, TESTS / 'peer_tensorflow.py']
    shard = [tfr, 'shard', '-q', '--no-shuffle', photos, '-o', ram / 'out/train@16.tfrecord']
    tar = ['tar', 'cf', ram / 'out/all.tar', '-C', photos, '.']
    check = [tfr, 'check', '-q', *shards]
    resized = [place.release / 'tests/resize_alone', ram / 'images.txt', place.cores, 256]
    crc = [place.release / 'tests/readcrc', CRC_BLOCK, place.cores, *shards]
    return [
        Row('shard-tar', '`shard` to 16 shards', '`tar cf`', shard, tar, '≥ 1', before=before),
        Row('shard-tensorflow', '`shard` to 16 shards', 'TensorFlow, 2 processes', shard,
            [*tensorflow, 'shard', photos, ram / 'out/tf', 2], '', pairs=3, before=before),
        Row('shard-resize', '`shard --resize 256`', 'decode, resize, encode alone', [*shard, '--resize', 256], resized, '≥ 0.9',
            rate=True, pairs=3, records=place.images, before=before),
        Row('check-tensorflow', '`check`', 'TensorFlow reads', check, [*tensorflow, 'count', *shards], '≥ 5'),
        Row('check-readcrc', '`check`', '`read()` + CRC-32C loop', check, crc, '≥ 0.8'),
        Row('schema-check', '`schema`', '`tfr check`', [tfr, 'schema', '-q', *shards], check, '≥ 0.8'),
        Row('stats-check', '`stats`', '`tfr check`', [tfr, 'stats', '-q', *shards], check, '≥ 0.8'),
        Row('count-tensorflow', '`count`', 'TensorFlow counts', [tfr, 'count', '-q', *shards],
            [*tensorflow, 'count', *shards], '≥ 50'),
    ]


def parse_rows(place):
    """Examples in memory into columns, with what a batch of training has; the inputs are made at the first run."""
    ram = place.ram
    made_small, (small,) = maker(place, 'one', READ, 1)
    ragged = ram / 'parse-ragged.tfrecord'

    def made():
        made_small()
        if not ragged.exists():
            subprocess.run([place.release / 'tests/make_ragged', str(PARSED_RAGGED), str(RAGGED), ragged], check=True)

    def row(name, job, layout, features, path, batch=PARSE_BATCH):
        timed = [batch, 3, features, path]
        return Row(name, '%s, batches of %d' % (job, batch), '`parse_example`', [place.release / 'tests/parse_batches', layout, place.cores, *timed],
                   [place.python, TESTS / 'peer_tensorflow.py', 'parse', layout, *timed], '≥ 10', rate=True, before=made)

    many = ','.join('f%02d=int64' % n for n in range(RAGGED))
    rows = []
    for suffix, batch in ('', PARSE_BATCH), ('-8192', PARSE_LARGE_BATCH):
        rows += [
            row('parse-dense' + suffix, '`tfr_batch_parse`, 192 bytes, dense', 'dense', 'label=int64,blob=bytes', small, batch),
            row('parse-ragged' + suffix, '`tfr_batch_parse`, 192 bytes, ragged', 'ragged', 'label=int64,blob=bytes', small,
                batch),
            row('parse-ragged-many' + suffix, '`tfr_batch_parse`, %d ragged int64' % RAGGED, 'ragged', many, ragged, batch),
        ]
    return rows


def twice(out, *command):
    """What `command` prints, written to a file and, after that, to another: two passes of plain copying."""
    return ['sh', '-c', '"$@" > "$0/first" && "$@" > "$0/second"', out, *command]


def rewrite_rows(place, before):
    """The images shuffled, resampled and divided.

    Classes are of one size here, so the target is not uniform, where nothing would be rejected: the classes of odd number
    get half, 77 % is kept."""
    tfr, ram, shards = place.tfr, place.ram, image_shards(place)
    out = ram / 'out'
    tensorflow = [place.python, TESTS / 'peer_tensorflow.py']
    target = ','.join('%d=%d' % (n, 2 - n % 2) for n in range(CLASSES))
    shuffled = shuffle(tfr, '256M', shards, out)
    cat = [tfr, 'cat', '-q', *shards]
    resample = [tfr, 'resample', '-q', *shards, '-o', out / 'resampled.tfrecord', '--by', 'image/class/label',
                '--target', target]
    return [
        Row('shuffle-cat', '`shuffle-to-disk -m 256M`', '`cat` twice', shuffled, twice(out, 'cat', *shards), '≥ 0.67',
            before=before),
        Row('shuffle-tensorflow', '`shuffle-to-disk -m 256M`', 'TensorFlow, all in memory', shuffled,
            [*tensorflow, 'shuffle', out / 'tf', place.images, *shards], '≥ 4', before=before),
        Row('resample-exact-cat', '`resample`, counting first, 77 % kept', '`tfr cat` twice', resample, twice(out, *cat),
            '≥ 0.77', before=before),
        Row('split-cat', '`split`, 9 to 1', '`tfr cat`',
            [tfr, 'split', '-q', *shards, '-o', out / 'train@16.tfrecord=0.9', '-o', out / 'val@2.tfrecord=0.1'],
            [*cat, '-o', out / 'all.tfrecord'], '', before=before),
    ]


def small_rows(place, before):
    """The same where records are small: what a record costs.  TensorFlow does a part of them, and rates are compared."""
    tfr, ram, n = place.tfr, place.ram, place.small_records
    out, shards = ram / 'out', small_shards(ram)
    tensorflow = [place.python, TESTS / 'peer_tensorflow.py']
    shuffled = shuffle(tfr, '256M', shards, out)
    cat = [tfr, 'cat', '-q', *shards]
    resample = [tfr, 'resample', '-q', *shards, '-o', out / 'resampled.tfrecord', '--by', 'label', '--target', 'uniform']
    lists = [ram / 'mix0.txt', ram / 'mix1.txt']
    mix = [tfr, 'cat', '-q', '--seed', '1', '--mix', '@%s=0.5,@%s=0.5' % tuple(lists)]
    parts = {'shuffle': n // 20, 'mix': n // 100}

    def dealt():
        before()
        for s, path in enumerate(lists):
            path.write_text(''.join('%s\n' % shard for shard in shards[s::2]))

    def row(name, job, peer_name, ours, peer, goal, before=before, **more):
        return Row(name, job + ', small records', peer_name, ours, peer, goal, pairs=3, before=before, small=True, **more)

    return [
        row('shuffle-small-cat', '`shuffle-to-disk -m 256M`', '`cat` twice', shuffled, twice(out, 'cat', *shards),
            '≥ 0.4'),
        row('shuffle-small-tensorflow', '`shuffle-to-disk -m 256M`', 'TensorFlow, all in memory', shuffled,
            [*tensorflow, 'shuffle', out / 'tf', parts['shuffle'], *shards], '≥ 20', rate=True, records=n),
        row('resample-small-exact-cat', '`resample`, counting first, 40 % kept', '`tfr cat` twice', resample,
            twice(out, *cat), '≥ 0.77'),
        row('split-small-cat', '`split`, 9 to 1', '`tfr cat`',
            [tfr, 'split', '-q', *shards, '-o', out / 'train@16.tfrecord=0.9', '-o', out / 'val@2.tfrecord=0.1'],
            [*cat, '-o', out / 'all.tfrecord'], ''),
        row('mix-small-cat', '`cat --mix`, half and half', '`tfr cat`', [*mix, '-o', out / 'mixed.tfrecord'],
            [*cat, '-o', out / 'all.tfrecord'], '≥ 0.7', before=dealt),
        row('mix-small-tensorflow', '`cat --mix`, half and half', 'TensorFlow, sample_from_datasets',
            [*mix, '-o', out / 'mixed.tfrecord'], [*tensorflow, 'mix', out / 'tf', parts['mix'], 2, '0.5,0.5', *shards],
            '≥ 20', rate=True, records=n, before=dealt),
    ]
