"""The commands that write, each over two inputs: `other` makes the outputs that -f replaces, and is the rival."""
import dataclasses
import pathlib
import random
import re
import shutil
import subprocess
import sys
import zipfile

DATA = pathlib.Path(__file__).resolve().parent.parent / 'data'
sys.path.insert(0, str(DATA))
import records  # noqa: E402

NEVER = re.compile(r'(?!)')


@dataclasses.dataclass
class Case:
    name: str
    expects: bool           # has --expect, and leaves nothing to be resumed
    words: list
    other: list
    before: list            # commands that run first
    status: int             # of a run that is left alone
    delay: int              # microseconds at most before each change, so that notes fall due
    several: bool           # outputs are targets of their own: two runs may each be refused one
    absent: re.Pattern      # outputs that may be absent while they change, besides manifests

    def withdrawn(self, path):
        return path.endswith(('.manifest.json', '/dataset_info.json')) or bool(self.absent.search(path))


def case(name, words, *, before=(), status=0, delay=0, absent=NEVER, several=False):
    """@ in the words is `a`, or `b` for the rival."""
    here, there = words.replace('@@', 'a').split(), words.replace('@@', 'b').split()
    expects = here[0] not in ('bench-feed', 'index', 'show', 'stats') and '--resume' not in here
    return Case(name, expects, here, there, [w.split() for w in before], status, delay, several, absent)


I = '../../in/'   # noqa: E741
IMAGES = 'shard -q --max-skipped 100 ' + I + 'images-@@ '
NOTES = '--resume --checkpoint 0.0005 '

CASES = [
    case('cat-file', 'cat -q %s@@.tfrecord -o x.tfrecord' % I),
    case('cat-gzip', 'cat -q %s@@.tfrecord -o x.tfrecord.gz' % I),
    case('cat-set', 'cat -q %s@@.tfrecord -o s@3.tfrecord' % I),
    case('cat-folder', 'cat -q %s@@.tfrecord -o d/s@2' % I, before=['mkdir d', 'cat -q %sc.tfrecord -o d/other@2' % I]),
    case('cat-quarantine', 'cat -q %sdamaged-@@.tfrecord --on-error quarantine=q.bin -o x.tfrecord' % I),
    case('shard-file', IMAGES + '-o p.tfrecord'),
    case('shard-set', IMAGES + '-o p@3.tfrecord'),
    case('shard-auto', IMAGES + '-o p@auto.tfrecord --records-per-shard 3'),
    case('shard-splits', IMAGES + '-o train@2.tfrecord -o test@2.tfrecord=0.4'),
    case('shard-notes', IMAGES + '-o p@2.tfrecord --report r.json --on-error quarantine=q.tsv'),
    case('shard-tfds', IMAGES + '--tfds ds -o train -o test=0.4'),
    case('shard-records', 'shard -q %s@@.tfrecord -o s@3.tfrecord.gz' % I),
    case('shard-npz', 'shard -q %s@@.npz -o n@2.tfrecord' % I),
    case('shard-csv', 'shard -q %s@@.csv -o c@2.tfrecord' % I),
    case('shard-resume', IMAGES + NOTES + '-o p@3.tfrecord', delay=300),
    case('shard-file-resume', IMAGES + NOTES + '-o p.tfrecord', delay=300),
    case('shard-auto-resume', IMAGES + NOTES + '-o p@auto.tfrecord --records-per-shard 3', delay=300),
    case('shard-splits-resume', IMAGES + NOTES + '-o train@2.tfrecord -o test@2.tfrecord=0.4', delay=300),
    case('shard-tfds-resume', IMAGES + NOTES + '--tfds ds -o train -o test=0.4', delay=300),
    case('shard-records-resume', 'shard -q %s@@.tfrecord -o s@2.tfrecord %s' % (I, NOTES), delay=300),
    case('shuffle-file', 'shuffle-to-disk -q %s@@.tfrecord -o x.tfrecord' % I),
    case('shuffle-set', 'shuffle-to-disk -q %s@@.tfrecord -o s@3.tfrecord' % I),
    case('shuffle-spill', 'shuffle-to-disk -q -m 8M %sbig-@@.tfrecord -o s@2.tfrecord' % I),
    case('resample', 'resample -q %sclasses-@@.tfrecord --by label --target uniform -o s@2.tfrecord' % I),
    case('split', 'split -q %s@@.tfrecord -o s@2.tfrecord -o t.tfrecord=0.4' % I),
    case('split-stratify', 'split -q %sclasses-@@.tfrecord --stratify label -o s@2.tfrecord -o t@2.tfrecord=0.4' % I),
    case('dedup', 'dedup -q %stwice-@@.tfrecord -o s@2.tfrecord --report r.tsv' % I),
    case('repair-file', 'repair -q %sdamaged-@@.tfrecord -o x.tfrecord --on-error quarantine=q.bin' % I, status=1),
    case('repair-set', 'repair -q %sdamaged-@@.tfrecord -o s@2.tfrecord' % I, status=1),
    case('export-folder', 'export -q %simages-@@.tfrecord -o tree' % I, absent=re.compile('^tree(/|$)')),
    case('export-tar', 'export -q %simages-@@.tfrecord -o x.tar' % I),
    case('export-jsonl', 'export -q %sclasses-@@.tfrecord -o x.jsonl' % I),
    case('export-csv', 'export -q %sclasses-@@.tfrecord -o x.csv' % I),
    case('index', 'index -q x.tfrecord', before=['cat -q %sa.tfrecord -o x.tfrecord' % I]),
    case('index-gzip', 'index -q x.tfrecord.gz', before=['cat -q %sa.tfrecord -o x.tfrecord.gz' % I], several=True),
    case('index-set', 'index -q s@3.tfrecord', before=['cat -q %sa.tfrecord -o s@3.tfrecord' % I], several=True),
    case('show-html', 'show %simages-@@.tfrecord --html x.html' % I),
    case('bench-feed', 'bench-feed -q --stages read,parse,batch=2 --epochs 1 %sclasses-@@.tfrecord --html feed.html' % I),
    case('stats-html', 'stats -q %sclasses-@@.tfrecord --html x.html' % I),
]


def example(label, text):
    """The bytes of an Example: label, an int64, and text."""
    def field(number, data):
        return bytes([number << 3 | 2, len(data)]) + data
    value = field(3, bytes([8, label]))
    features = field(1, field(1, b'label') + field(2, value))
    features += field(1, field(1, b'text') + field(2, field(1, field(1, text))))
    return field(1, features)


def make_records(folder, which, rng):
    def put(name, payloads):
        (folder / ('%s.tfrecord' % name)).write_bytes(b''.join(map(records.frame, payloads)))
    payloads = [b'%s %d:' % (which.encode(), i) + rng.randbytes(rng.randrange(400)) for i in range(40)]
    examples = [example(int(rng.random() ** 2 * 3), b'%s%d' % (which.encode(), i)) for i in range(60)]
    put(which, payloads)
    put('twice-' + which, payloads[:20] + payloads[10:30])
    put('classes-' + which, examples)
    few = [records.frame(rng.randbytes(4000)) for _ in range(50)]
    (folder / ('big-%s.tfrecord' % which)).write_bytes(b''.join(rng.choice(few) for _ in range(2300)))
    whole = (folder / (which + '.tfrecord')).read_bytes()
    (folder / ('damaged-%s.tfrecord' % which)).write_bytes(whole[:1500] + b'?' * 30 + whole[1530:])


def make_arrays(path, rng):
    """Two arrays of 16 rows, deflated, as NumPy's savez_compressed() writes them."""
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as archive:
        for name in 'xy':
            head = "{'descr': '<i4', 'fortran_order': False, 'shape': (16, 8), }".ljust(117) + '\n'
            archive.writestr(name + '.npy', b'\x93NUMPY\x01\x00' + len(head).to_bytes(2, 'little') + head.encode() +
                             rng.randbytes(16 * 8 * 4))


def make_inputs(folder, tfr, seed):
    """The inputs of all cases, a and b alike in kind and different in content."""
    rng = random.Random(seed)
    folder.mkdir()
    for which in 'abc':
        make_records(folder, which, rng)
        images = sorted((DATA / 'media').glob('*.[jp][pn]g'))
        images = [p for i, p in enumerate(images) if p.stat().st_size < 20000]
        for i, image in enumerate(rng.sample(images, 12)):
            place = folder / ('images-' + which) / ('cat', 'dog-' + which)[i % 2]
            place.mkdir(parents=True, exist_ok=True)
            shutil.copy(image, place / ('%02d%s' % (i, image.suffix)))
        (folder / ('images-%s/cat/broken.jpg' % which)).write_bytes(b'no image')
        (folder / (which + '.csv')).write_text('id,name\n' + ''.join(
            '%d,%s%d\n' % (i, which, rng.randrange(1000)) for i in range(20)))
        make_arrays(folder / (which + '.npz'), rng)
        subprocess.run([tfr, 'shard', '-q', 'images-' + which, '-o', 'images-%s.tfrecord' % which], check=True,
                       cwd=folder, stderr=subprocess.DEVNULL)
