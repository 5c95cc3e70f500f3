"""Runs every command over data whose names and texts are full of control characters, and looks for them in what comes out.

Where an output is the data itself by contract (records, CSV, the labels file), only standard error
is looked at.  Text that is only not ASCII has to come out as it is."""
import glob
import json
import os
import pathlib
import shutil
import subprocess
import sys

import records as r

# ESC, BEL, DEL, CR, C1 in two bytes and alone, not UTF-8, and what orders, hides or breaks text.
CONTROLS = ('\x1b[31m\x07\x7f\r\x85\x9b2J\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069'
            '\U000e0001\U000e0041\U000e007f').encode() + b'\x9b\xff\xc3'
READABLE = 'n\u00e4 \u732b \U0001f408'   # what people write
HOSTILE = CONTROLS + READABLE.encode() + b'\nINJECTED: \'"\\<b>&$(x)`'
NAME = b'h' + HOSTILE
CLASS = b'h' + HOSTILE.decode('utf-8', 'ignore').replace('\n', '').replace('\r', '').encode()   # a class is a line
BAD = {*range(0x20), *range(0x7f, 0xa0), 0x61c, 0x200e, 0x200f, *range(0x2028, 0x202f), *range(0x2066, 0x206a), 0xfffe,
       0xffff, *range(0xe0000, 0xe0080), *range(0xdc80, 0xdd00)} - {0x0a}   # the last: surrogateescape, not UTF-8


def faults(data, tabs=True):
    """The characters of `data` that must not be there."""
    text = data.decode('utf-8', 'surrogateescape')
    found = sorted({'U+%04X' % ord(c) for c in text if ord(c) in BAD and not (tabs and c == '\t')})
    return found + ['INJECTED'] * any(line.startswith('INJECTED') for line in text.split('\n'))


def write(name, data):
    with open(name, 'wb') as out:
        out.write(data)


def example(**features):
    return b''.join(r.entry(key if isinstance(key, bytes) else key.encode(), value) for key, value in features.items())


def make():
    def record(i, key=HOSTILE):
        return r.field(1, r.entry(key, r.bytes_list([HOSTILE, b'plain', READABLE.encode()])) +
                       r.entry(b'image/class/text', r.bytes_list([HOSTILE if i % 2 else READABLE.encode()])) +
                       r.entry(b'image/class/label', r.int64_list([i % 2])) +
                       r.entry(HOSTILE[:-1], r.int64_list([i])))
    frames = b''.join(r.frame(record(i)) for i in range(8))
    utf8 = HOSTILE.decode('utf-8', 'ignore').encode()   # code is made of names that are UTF-8
    write(NAME + b'.tfrecord', frames)
    write('utf8.tfrecord', b''.join(r.frame(r.field(1, r.entry(utf8, r.bytes_list([utf8])))) for i in range(4)))
    write('events', b''.join(r.frame(b'\x09' + bytes(8) + e) for e in (
        r.field(3, b'brain.Event:2' + HOSTILE), r.field(4, HOSTILE),
        r.field(5, r.field(1, r.field(1, HOSTILE) + b'\x15\0\0\0\0' + r.field(9, r.field(1, r.field(1, HOSTILE) + r.field(2, HOSTILE))))),
        r.field(6, b'\x08\x02' + r.field(2, HOSTILE)), r.field(7, b'\x08\x01' + r.field(2, HOSTILE)))))
    write('tensors', r.frame(b'\x08\x07' + r.field(2, r.field(2, b'\x08\x01' + r.field(2, HOSTILE))) + r.field(8, HOSTILE)))
    write('code.tfrecord', b''.join(r.frame(r.field(1, r.entry(utf8, r.bytes_list([b'x'])) + r.entry(
        utf8[:-1], r.int64_list([i] * (i + 1))))) for i in range(4)))
    write(NAME + b'.other.tfrecord', frames + r.frame(record(9)))
    write(NAME + b'.torn.tfrecord', frames[:-40])
    write(NAME + b'.csv', b'"h' + utf8.replace(b'"', b'""') + b'",b\n"' + utf8.replace(b'"', b'""') + b'",1\nx,2\n')
    write(NAME + b'.bad.csv', b'"h' + utf8.replace(b'"', b'""') + b'",b\n1,1,1\n')
    write(NAME + b'.jsonl', (json.dumps({'h' + utf8.decode(): utf8.decode(), 'b': 1}) + '\n').encode() * 2)
    write(NAME + b'.bad.jsonl', (json.dumps({'h' + utf8.decode(): [1, 'x']}) + '\n').encode())
    write(NAME + b'.raw.jsonl', b'{"' + CONTROLS + b'": nul}\n')
    for i in range(2):
        write(b'%s-%05d-of-00002.tfrecord' % (NAME, i), frames)
    image = pathlib.Path(os.environ['DATA'], 'images', 'png', sorted(os.listdir(os.environ['DATA'] + '/images/png'))[0])
    for folder in (CLASS, b'z' + CLASS):
        os.makedirs(b'photos/' + folder)
        shutil.copy(image, os.path.join(b'photos', folder, NAME + b'.png'))
        write(os.path.join(b'photos', folder, NAME + b'.broken.jpg'), b'\xff\xd8\xff\xe0 not one')
        write(os.path.join(b'photos', folder, NAME + b'.txt'), b'no image')
    for folder in (b'train', b'val'):
        shutil.copytree(b'photos', b'splits/' + folder)


def commands():
    """(words, what of standard output is data)"""
    f, other, torn = NAME + b'.tfrecord', NAME + b'.other.tfrecord', NAME + b'.torn.tfrecord'
    shards = NAME + b'@2.tfrecord'
    for words in (
            [HOSTILE], ['help', HOSTILE], ['cat', HOSTILE], ['cat', '--' + READABLE, f], [b'cat', b'--' + HOSTILE, f],
            ['completion', HOSTILE], ['cat', '-n', HOSTILE, f], ['cat', '--compress', HOSTILE, f],
            ['count', HOSTILE], ['count', b'@' + HOSTILE], ['count', HOSTILE + b'@3'], ['count', HOSTILE + b'*'],
            ['count', f], ['count', '--per-file', f, shards], ['count', '--per-file', '--sum', '.'], ['count', torn],
            ['count', '--json', '--per-file', f], ['count', '--by', 'image/class/text', f],
            ['count', '--by', HOSTILE, f], ['count', '--by', 'image/class/txt', f], ['count', '--by', HOSTILE[:-2], f],
            ['count', '--json', '--by', 'image/class/text', f], ['count', '--where', b'"' + HOSTILE + b'" == 1', f],
            ['count', '--where', HOSTILE, f], ['count', '--where', b'x =~ "(' + HOSTILE, f],
            ['show', f], ['show', torn], ['show', '--json', f], ['show', '--as', 'raw', f], ['show', '--as', 'event', f],
            ['show', 'events'], ['show', '--json', 'events'], ['show', '--as', 'event', 'events'], ['show', 'tensors'],
            ['show', '--json', 'tensors'], ['show', '--as', 'tensor', 'tensors'], ['check', '--strict', 'events'],
            ['completion', 'names', '--', 'tfr count utf8.tfrecord code.tfrecord --by ', ''],
            ['show', '--html', 'show.html', f], ['show', '--where', b"'image/class/text' == '" + READABLE.encode() + b"'", f],
            ['check', f], ['check', torn], ['check', '--json', torn], ['check', '--format', 'junit', f, torn],
            ['check', '--format', 'github', torn], ['check', '--strict', f], ['check', '--decode', f, torn],
            ['check', '--manifest', shards], ['check', '--schema', 'schema.json', other],
            ['check', '--schema', NAME + b'.raw.jsonl', f], ['check', '--expect', HOSTILE, f],
            ['schema', f], ['schema', '--json', f], ['schema', 'code.tfrecord'],
            ['schema', '--emit', 'python', 'code.tfrecord'], ['schema', '--emit', 'dali', 'code.tfrecord'],
            ['schema', '--emit', 'pbtxt', 'code.tfrecord'], ['schema', '--emit', 'python', f], ['schema', torn],
            ['stats', f], ['stats', '--json', f], ['stats', '--html', 'stats.html', f], ['stats', '--order', HOSTILE, f],
            ['stats', '--order', 'image/class/text', f], ['stats', '--merge', NAME + b'.raw.jsonl'],
            ['diff', f, other], ['diff', '--json', f, other], ['diff', '--key', HOSTILE, f, other],
            ['diff', '--key', 'image/class/text', f, other], ['diff', '--features', f, other], ['diff', '--overlap', f, other],
            ['diff', f, torn], ['diff', 'labelled/' + 'a@1.tfrecord', b'labelled/b@1.tfrecord'],
            ['doctor', '.'], ['doctor', '--json', '.'], ['doctor', f, torn], ['doctor', HOSTILE], ['doctor', '--label', HOSTILE, f],
            ['index', '--check', f, other], ['index', '--check', '--json', f], ['index', f, torn], ['index', f],
            ['index', '--check', f],
            ['repair', '--dry-run', torn], ['repair', '--dry-run', '--json', torn], ['repair', torn, '-o', HOSTILE + b'.r'],
            ['repair', torn, '-o', HOSTILE + b'.r'], ['repair', torn, '-o', HOSTILE + b'/x/y'],
            ['shuffle-to-disk', '--dry-run', f, '-o', 'o'], ['shuffle-to-disk', f, '-o', HOSTILE + b'.s@2.tfrecord'],
            ['shuffle-to-disk', torn, '-o', HOSTILE + b'.t'], ['shuffle-to-disk', f, '-o', 'o', '--tmpdir', HOSTILE],
            ['resample', '--by', 'image/class/text', '--target', 'uniform', f, '-o', HOSTILE + b'.u'],
            ['resample', '--by', 'image/class/text', '--json', '--target', 'uniform', f, '-o', HOSTILE + b'.u', '-f'],
            ['resample', '--by', 'image/class/text', '--target', HOSTILE + b'=1', f, '-o', 'u'],
            ['resample', '--class', HOSTILE + b'=1', f, '-o', 'u'],
            ['split', f, '-o', HOSTILE + b'.a=0.5', '-o', HOSTILE + b'.b', '--stratify', 'image/class/text'],
            ['split', f, '-f', '-o', HOSTILE + b'.a=0.5', '-o', HOSTILE + b'.b', '--stratify', 'image/class/text', '--json'],
            ['split', f, '-o', HOSTILE + b'.a=0.5', '-o', HOSTILE + b'.b', '--stratify', HOSTILE],
            ['dedup', f, shards, '-o', 'd', '--key', 'image/class/label'], ['dedup', f, '-o', 'd'],
            ['dedup', f, shards, '-f', '-o', 'd', '--key', HOSTILE, '--report', 'dedup.txt'],
            ['shard', 'photos', '-o', HOSTILE + b'.p@1.tfrecord'],
            ['shard', 'photos', '--on-error', 'skip', '--max-skipped', '100', '-o', HOSTILE + b'.p@2.tfrecord', '--report', 'shard.txt'],
            ['shard', 'photos', '--dry-run', '-o', HOSTILE + b'.p@2.tfrecord', '--on-error', 'skip', '--max-skipped', '100'],
            ['shard', 'photos', '--dry-run', '--json', '-o', HOSTILE + b'.p@2.tfrecord', '--on-error', 'skip', '--max-skipped', '100'],
            ['shard', 'photos', '--on-error', b'quarantine=' + HOSTILE, '-o', 'p'],
            ['shard', 'splits', '-o', HOSTILE + b'@2.tfrecord'], ['shard', 'splits', '-j', '2', b'--image-set=' + HOSTILE, '-o', 'x@2.tfrecord'],
            ['shard', NAME + b'.csv', '-o', 'csv.tfrecord'], ['shard', NAME + b'.bad.csv', '-o', 'x'],
            ['shard', '--types', HOSTILE + b'=int', NAME + b'.csv', '-o', 'x'], ['shard', '--types', HOSTILE, NAME + b'.csv', '-o', 'x'],
            ['shard', '--embed', HOSTILE, NAME + b'.csv', '-o', 'x'], ['shard', '--embed', 'b', NAME + b'.csv', '-o', 'x'],
            ['shard', NAME + b'.jsonl', '-o', 'jsonl.tfrecord'], ['shard', NAME + b'.bad.jsonl', '-o', 'x'],
            ['shard', NAME + b'.raw.jsonl', '-o', 'x'], ['shard', '--root', HOSTILE, '--embed', 'b', NAME + b'.csv', '-o', 'x'],
            ['shard', '--from', HOSTILE, f, '-o', 'x'], ['shard', '--tfds', HOSTILE + b'.tfds', 'photos', '--on-error', 'skip', '--max-skipped', '100'],
            ['shard', HOSTILE, '-o', 'x'], ['shard', '--annotations', NAME + b'.raw.jsonl', 'photos', '-o', 'x'],
            ['bench-feed', '--stages', 'read,parse,batch=4,upload', '--steps', '1', f],
            ['bench-feed', '--stages', 'read,parse,batch=4,upload', '--steps', '1', '--json', f],
            ['bench-feed', '--stages', 'read,parse,batch=4,upload', '--steps', '1', '--html', 'feed.html', '--trace', 'trace.json', f],
            ['bench-feed', '--stages', b'read,cache="' + READABLE.encode() + b'\x1b[31m\x9b",parse,batch=4,upload', '--steps', '1', f],
            ['bench-feed', '--stages', 'read,parse,batch=4,upload', '--feature', HOSTILE[:20] + b':bytes', '--steps', '1', f],
            ['bench-feed', '--stages', 'read,parse,batch=4,upload', '--feature', HOSTILE + b':int64[1]', '--steps', '1', f],
            ['bench-feed', '--stages', HOSTILE, f], ['bench-feed', '--device', HOSTILE, f],
            ['bench-feed', '--compare', NAME + b'.raw.jsonl', '--steps', '1', f],
            ['export', b'labelled/a@1.tfrecord', '-o', HOSTILE + b'.out'], ['export', 'labelled/a@1.tfrecord', '-o', HOSTILE + b'.out'],
            ['export', 'labelled/a@1.tfrecord', '-o', 'out'], ['export', f, '-o', 'out2'], ['show', 'labelled/a@1.tfrecord'],
            ['doctor', 'labelled'], ['check', '--decode', '--manifest', 'labelled/a@1.tfrecord'], ['diff', '--overlap', 'labelled/a@1.tfrecord', 'labelled/b@1.tfrecord'],
            ['stats', 'labelled/a@1.tfrecord'], ['show', '--html', 'labelled.html', 'labelled/a@1.tfrecord'],
            ['export', '--to', 'jsonl', f, '-o', '-'], ['export', '--to', 'jsonl', torn, '-o', HOSTILE + b'.jsonl'],
            ['export', '--columns', HOSTILE, f, '-o', 'x.csv'], ['export', '--to', HOSTILE, f, '-o', 'x'],
            ['cat', torn, '-o', 'x'], ['cat', f, '-o', f], ['cat', f, '-o', HOSTILE + b'/x'], ['cat', '--mix', HOSTILE + b'=1'],
            ['cat', '--mix', b'"' + NAME + b'.tfrecord"=x'], ['cat', '--keep', HOSTILE + b'zz', f, '-o', 'x', '-f'],
            ['cat', '--on-error', HOSTILE, f, '-o', 'x'], ['cat', '--on-error', 'skip', torn, '-o', 'x', '-f'],
            ['cat', '--records', HOSTILE, f, '-o', 'x', '-f'], ['cat', f, f, '-o', HOSTILE + b'@2.tfrecord']):
        yield words, False
    for words in (['cat', f], ['cat', '--raw', f], ['export', '--to', 'csv', 'utf8.tfrecord', '-o', '-'], ['export', '--to', 'csv', 'csv.tfrecord', '-o', '-']):
        yield words, True


def run(words, data):
    done = subprocess.run([b'tfr', *(w if isinstance(w, bytes) else w.encode() for w in words)], capture_output=True,
                          stdin=subprocess.DEVNULL, timeout=120)
    label = ' '.join(w if isinstance(w, str) else '…' for w in words)
    for name, text in (('stderr', done.stderr), ('stdout', b'' if data else done.stdout)):
        found = faults(text)
        if found:
            print('%s: %s: %s' % (label, name, ' '.join(found)))
            if os.environ.get('SHOW'):
                print(text)
    if done.returncode not in (0, 1, 2, 3):
        print('%s: status %d' % (label, done.returncode))
    return done


def look_at(pattern):
    """Written pages, code, reports and manifests; names of files that export makes."""
    for name in sorted(glob.glob(pattern)):
        found = faults(pathlib.Path(name).read_bytes())
        if name.endswith('.html') and 'INJECTED' in found:
            found.remove('INJECTED')   # a line break in HTML is a blank
        if found:
            print('%s: %s' % (pattern, ' '.join(found)))


def readable(*words, file=None):
    done = subprocess.run([b'tfr', *(w if isinstance(w, bytes) else w.encode() for w in words)], capture_output=True)
    text = pathlib.Path(file).read_bytes() if file else done.stdout + done.stderr
    if READABLE.encode() not in text:
        print('not readable: ' + ' '.join(str(w) for w in words))


def main():
    make()
    f = NAME + b'.tfrecord'
    with open('schema.json', 'wb') as out:
        subprocess.run([b'tfr', b'schema', b'--json', f], stdout=out)
    os.mkdir('labelled')
    for name, folder in (('a', b'photos'), ('b', b'splits/train')):
        run(['shard', '-q', folder, '--on-error', 'skip', '--max-skipped', '100', '-o', 'labelled/%s@1.tfrecord' % name], False)
    n = 0
    for words, data in commands():
        run(words, data)
        n += 1
    for folder, folders, files in os.walk(b'out'):
        for name in folders + files:
            if faults(name.decode('utf-8', 'ignore').encode()):
                print('exported: %r' % name)
    for pattern in ('*.html', 'trace.json', 'shard.txt', 'dedup.txt', '*.manifest.json', 'labelled/*.json', '*.idx'):
        look_at(pattern)
    for words in (['count', '--per-file', f], ['count', HOSTILE], ['count', '--by', 'image/class/text', f], ['show', f],
                  ['show', '--json', f], ['check', NAME + b'.torn.tfrecord'], ['schema', 'code.tfrecord'], ['stats', f],
                  ['schema', '--emit', 'python', 'code.tfrecord'], ['schema', '--emit', 'pbtxt', 'code.tfrecord'],
                  ['doctor', NAME + b'.torn.tfrecord'], ['index', '--check', NAME + b'.other.tfrecord'],
                  ['split', f, '-f', '-o', READABLE + '.a=0.5', '-o', READABLE + '.b']):
        readable(*words)
    for file in ('show.html', 'stats.html'):
        readable('version', file=file)
    # What is printed as a command or as code is what it was made of.
    code = subprocess.run(['tfr', 'schema', '--emit', 'python', 'code.tfrecord'], capture_output=True).stdout.decode()
    scope = {'tf': None}
    names = [eval(line.split(': tf.')[0].strip()) for line in code.split('\n') if ': tf.io' in line]
    utf8 = HOSTILE.decode('utf-8', 'ignore')
    print('python names:', sorted(names) == sorted([utf8, utf8[:-1]]))
    words = ['tfr', 'cat', '-f', '-q', os.fsdecode(f), os.fsdecode(b'-o' + HOSTILE + b'@1.tfrecord')]
    subprocess.run(words)
    manifest = json.loads(pathlib.Path(os.fsdecode(HOSTILE + b'.1-tfrecord.manifest.json')).read_bytes())
    again = subprocess.run(['bash', '-c', 'printf "%s\\0" ' + manifest['command']], capture_output=True).stdout
    print('command:', again.split(b'\0')[:-1] == [os.fsencode(w) for w in words])
    shown = subprocess.run(['tfr', 'count', '--per-file', f], capture_output=True).stdout.split(b'\t')[0]
    printed = subprocess.run(['bash', '-c', 'printf %b "$1"', 'bash', shown], capture_output=True).stdout
    print('printf %b:', printed == f)
    print('commands run:', n)


main()
