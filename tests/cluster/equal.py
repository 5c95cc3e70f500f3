"""Any number of parts gives the bytes that one process gives."""
import json
import os
import random
import re
import shutil

from parts import case, shards
from support.datasets import KINDS

# a process takes ten times as long under sanitizers
NUMBERS = (1, 3, 8) if os.environ.get('SANITIZED') else (1, 2, 3, 8, 64)


def _all(t, words, sets=('x@5.tfrecord',), numbers=NUMBERS):
    wanted = t.alone(words)
    for n in numbers:
        name = 'parts-%d' % n
        order = [*range(n), n // 2]   # one twice
        random.Random(n).shuffle(order)
        t.parts(words, n, name, order)
        t.good('finish', *('%s/%s' % (t.path(name), s) for s in sets))
        found = shards(t.path(name))
        assert found == wanted, '%d parts: %s' % (n, [k for k in {*found, *wanted} if found.get(k) != wanted.get(k)])
        assert not [f for f in os.listdir(t.path(name)) if '.part-' in f or f.startswith('.')], os.listdir(t.path(name))
        for s in sets:
            t.good('check', '-q', '--manifest', '%s/%s' % (t.path(name), s))
        _same_manifests(t, name)
        shutil.rmtree(t.path(name))
    shutil.rmtree(t.path('alone'))


def _same_manifests(t, name):
    for file in os.listdir(t.path(name)):
        if not file.endswith('manifest.json'):
            continue
        both = [json.load(open(os.path.join(t.path(folder), file))) for folder in (name, 'alone')]
        for one in both:
            for key in ('command', 'options', 'inputs'):
                one.pop(key, None)
            for shard in one['shards']:
                del shard['mtime']
        assert both[0] == both[1], both


def _kind(name):
    def run(t):
        _all(t, ['shard', *KINDS[name][1], '-o', 'OUT/x@5.tfrecord'])
    run.__name__ = 'shards_of_' + name
    return run


for kind in KINDS:
    case(_kind(kind))


@case
def options_that_decide_the_order_and_the_set(t):
    few = (3,) if os.environ.get('SANITIZED') else (2, 8)
    _all(t, ['shard', 'classes', '-o', 'OUT/x@5.tfrecord', '--no-shuffle', '--resize', '16', '-j', '2'], numbers=few)
    _all(t, ['shard', 'classes', '-o', 'OUT/x@7.tfrecord.gz', '--seed', '5'], ('x@7.tfrecord.gz',), few)
    _all(t, ['shard', 'classes', '-o', 'OUT/x@4.tfrecord=0.7', '-o', 'OUT/y@3.tfrecord=0.2'], ('x@4.tfrecord', 'y@3.tfrecord'), few)
    _all(t, ['shard', 'classes', '-o', 'OUT/x@4.tfrecord=0.5', '-o', 'OUT/y@3.tfrecord', '--stratify-classes'],
         ('x@4.tfrecord', 'y@3.tfrecord'), few)
    _all(t, ['shard', 'table/list.csv', '--embed', 'img', '--shuffle', '-o', 'OUT/x@5.tfrecord'], numbers=few)
    _all(t, ['shard', 'classes', '-o', 'OUT/x@auto.tfrecord'], ('x@*.tfrecord',), few)


@case
def counts_of_a_run(t):
    """The notes add up to what one process says."""
    end = t.run('shard', 'classes', '-o', t.make('alone') + '/x@5.tfrecord=0.9').stderr.decode()
    read, written, skipped, total = re.search(r'read (\d+), written (\d+), skipped (\d+).* sum (\w+)', end).groups()
    words = t.parts(['shard', 'classes', '-o', 'OUT/x@5.tfrecord=0.9'], 3, 'three')
    said = t.good('finish', words[-1][:-4]).stderr.decode()
    assert re.search('3 parts, read %s, skipped %s, \\d+ in no set, written %s' % (read, skipped, written), said), said
    assert said.rstrip().endswith('sum ' + total), said
    assert skipped == '1'


@case
def files_of_inspecting_commands(t):
    """Each file is taken by one part, sorted by its path; the sums of the parts are those of one process."""
    names = ['x-%05d-of-00005.tfrecord' % i for i in range(5)]
    for n in (1, 2, 3, 8):
        seen, records, faults = [], 0, 0
        for i in range(n):
            part = '%d/%d' % (i, n)
            lines = t.good('count', '--per-file', *reversed(names), '--part', part).stdout.decode().split('\n')
            mine = [line.split('\t')[0] for line in lines if line]
            assert mine == sorted(names[i::n], reverse=True), mine
            seen += mine
            records += json.loads(t.good('count', '--json', 'x@5.tfrecord', '--part', part).stdout)['records']
            result = t.run('check', '--format', 'json', 'x@5.tfrecord', '--part', part)
            assert result.returncode == (names[3] in mine), result
            faults += len(json.loads(result.stdout)['faults'])
        whole = json.loads(t.run('check', '--format', 'json', 'x@5.tfrecord').stdout)
        assert sorted(seen) == names and faults == len(whole['faults']) > 0
        assert records == json.loads(t.good('count', '--json', 'x@5.tfrecord').stdout)['records']


@case
def statistics_of_parts(t):
    words = ['stats', 'x@5.tfrecord', '--on-error', 'skip', '--json']
    for i in range(8):
        with open(t.path('part-%d' % i), 'wb') as f:
            f.write(t.good(*words, '--part', '%d/8' % i).stdout)
    merged = t.good('stats', '--merge', *(t.path('part-%d' % i) for i in range(8))).stdout
    assert merged == t.good(*words[:-1]).stdout


@case
def indexes_and_repairs(t):
    for i in range(5):
        shutil.copy('%s/x-%05d-of-00005.tfrecord' % (t.inputs, i), t.folder)
    for i in range(2):
        t.good('index', t.path('x@5.tfrecord'), '--part', '%d/2' % i)
        result = t.run('repair', t.path('x@5.tfrecord'), '-o', t.path('good-%d' % i), '--part', '%d/2' % i)
        assert result.returncode == i, result   # the damaged file is number 3
    assert sorted(f for f in os.listdir(t.folder) if f.endswith('.idx')) == ['x-%05d-of-00005.tfrecord.idx' % i for i in range(5)]
    one = t.run('repair', t.path('x@5.tfrecord'), '-o', t.path('good'))
    assert one.returncode == 1
    sums = [int(t.good('count', '--sum', t.path(f)).stdout.split()[1], 16) for f in ('good', 'good-0', 'good-1')]
    assert sums[0] == sum(sums[1:]) % 2 ** 64
    t.good('repair', t.path('x@5.tfrecord'), '-o', t.path('none'), '--part', '6/8')
    assert not os.path.exists(t.path('none'))
