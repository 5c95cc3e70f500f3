"""What parts and their end refuse: each is named, and nothing is deleted or replaced."""
import json
import os
import re
import shutil

from parts import case, shards

WORDS = ['shard', 'classes', '-o', 'OUT/x@5.tfrecord']


def _files(folder):
    found = {}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), 'rb') as f:
            found[name] = f.read()
    return found


def _unchanged(t, folder, status, *words, says):
    before = _files(folder)
    t.fails(status, *words, says=says)
    after = _files(folder)
    assert before == after, [k for k in {*before, *after} if before.get(k) != after.get(k)]


@case
def numbers_and_commands(t):
    t.fails(2, 'check', 'x@5.tfrecord', '--part', '2/2', says='no part 2')
    t.fails(2, 'check', 'x@5.tfrecord', '--part', '1', says='I/N')
    t.fails(2, 'check', 'x@5.tfrecord', '--part', '-1/2', says='I/N')
    t.fails(2, 'check', 'x@5.tfrecord', '--part', '0/0', says='1 to 100000')
    t.fails(2, 'count', '-', '--part', '0/2', says='standard input')
    t.fails(2, 'count', '--part', '0/2', says='name files')
    t.fails(2, 'check', 'x@5.tfrecord', '--part', '0/2', '--expect', '3', says='--expect cannot go with --part')
    t.fails(2, 'stats', '--merge', 'a', '--part', '0/2', says='--merge cannot go with --part')
    for command in ('cat', 'schema', 'shuffle', 'dedup', 'diff', 'resample', 'split', 'export', 'show', 'doctor', 'bench-feed'):
        t.fails(2, command, 'x@5.tfrecord', '--part', '0/2', says=["no option '--part'", r'tfr-cluster\(7\)'])
    for option in ('--job', '--phase', '--wait'):
        t.fails(2, 'check', 'x@5.tfrecord', option, says=["no option '%s'" % option, r'tfr-cluster\(7\)'])


@case
def conversions_that_need_one_process(t):
    out = ['-o', t.path('y@2.tfrecord'), '--part', '0/2']
    for option in (['--resume'], ['--dry-run'], ['--report', t.path('r')], ['--on-error', 'quarantine=' + t.path('q')], ['--expect', '3'],
                   ['--allow-empty'], ['--shard-size', '1M'], ['--records-per-shard', '3']):
        t.fails(2, 'shard', 'classes', *out, *option, says='cannot go with --part')
    t.fails(2, 'shard', 'x@5.tfrecord', *out, says='cannot be converted in parts')
    t.fails(2, 'shard', 'table/list.csv', *out, says='cannot be converted in parts')
    t.fails(2, 'shard', 'classes', '-o', t.path('y.tfrecord'), '--part', '0/2', says='cannot be written in parts')
    assert not os.listdir(t.folder)


@case
def ends_before_the_last_part(t):
    words = t.parts(WORDS, 3, 'out', order=[1])
    _unchanged(t, t.path('out'), 1, 'finish', words[-1], says=['part 0 of 3 has not', 'part 2 of 3 has not', 'nothing was written'])
    t.fails(1, 'check', words[-1], says=['missing set member', 'written in parts'])
    assert b'see: tfr finish' in t.run('doctor', words[-1]).stdout + t.run('doctor', words[-1]).stderr
    t.good(*words, '--part', '0/3')
    _unchanged(t, t.path('out'), 1, 'finish', words[-1], says='part 2 of 3 has not')
    t.good(*words, '--part', '2/3')
    t.good('finish', words[-1])
    t.fails(1, 'finish', t.path('none@3.tfrecord'), says='no part of')
    t.fails(2, 'finish', t.path('one.tfrecord'), says='not a set')
    t.fails(2, 'finish', says='no set')


@case
def parts_of_other_runs(t):
    """Other options, seeds, inputs and numbers of parts."""
    for more, says in ((['--seed', '3'], 'seed 3'), (['--resize', '9'], '--resize'), (['--label-base', '1'], 'label base')):
        words = t.parts(WORDS, 2, 'out', order=[0])
        t.good(*words, *more, '--part', '1/2')
        _unchanged(t, t.path('out'), 1, 'finish', words[-1], says=['part 1 is from another run', says])
        _unchanged(t, t.path('out'), 2, *words, '--part', '1/2', says=['the earlier run of this part had', says, '-f'])
        t.good(*words, '-f', '--part', '1/2')
        t.good('finish', words[-1])
        shutil.rmtree(t.path('out'))
    shutil.copytree(t.inputs + '/classes', t.path('in'))
    words = ['shard', t.path('in'), '-o', t.make('out') + '/x@5.tfrecord', '--part']
    t.good(*words, '0/2')
    os.utime(t.path('in/class0/000.jpg'), (1, 1))
    t.good(*words, '1/2')
    _unchanged(t, t.path('out'), 1, 'finish', words[3], says='part 1 is from another run: part 0 had other or changed input files')
    t.fails(2, *words, '0/3', says='will not overwrite')
    t.good(*words, '2/3', '-f')
    _unchanged(t, t.path('out'), 1, 'finish', words[3], says='notes of [23] and of [23] parts')


@case
def shards_that_are_missing_damaged_or_older(t):
    words = t.parts(WORDS, 2, 'out')
    path = t.path('out/x-00003-of-00005.tfrecord')
    with open(path, 'rb') as f:
        whole = f.read()
    for data in (whole[:50] + bytes([whole[50] ^ 1]) + whole[51:], whole[:-1], b'', None):
        os.remove(path)
        if data is not None:
            with open(path, 'wb') as f:
                f.write(data)
        _unchanged(t, t.path('out'), 1, 'finish', words[-1], says=['x-00003', 'missing shard' if data is None else 'differs from the note of part 1'])
    t.good(*words, '--part', '1/2')
    with open(path, 'rb') as f:
        assert f.read() == whole
    with open(path, 'ab') as f:
        f.write(b'x')
    _unchanged(t, t.path('out'), 1, 'finish', '--quick', words[-1], says='the size differs')
    t.good(*words, '--part', '1/2')
    t.good('finish', '--quick', words[-1])


@case
def sets_that_exist(t):
    """A finished set is left alone, by its own run and by another one; -f replaces it."""
    words = t.parts(WORDS, 2, 'out')
    t.good('finish', words[-1])
    before = _files(t.path('out'))
    assert b'complete' in t.good(*words, '--part', '1/2').stderr
    assert _files(t.path('out')) == before
    _unchanged(t, t.path('out'), 2, *words, '--seed', '2', '--part', '0/2', says=['the completed run had', 'seed 2'])
    t.good(*words, '--seed', '2', '-f', '--part', '0/2')
    assert not os.path.exists(t.path('out/x.5-tfrecord.manifest.json'))
    _unchanged(t, t.path('out'), 1, 'finish', words[-1], says='part 1 of 2 has not')
    t.good(*words, '--seed', '2', '-f', '--part', '1/2')
    t.good('finish', words[-1])
    assert shards(t.path('out')) == t.alone([*WORDS, '--seed', '2'])
    with open(t.make('other') + '/x-00001-of-00005.tfrecord', 'w') as f:
        f.write('keep')
    _unchanged(t, t.path('other'), 2, *[w.replace('/out/', '/other/') for w in words], '--part', '1/2', says='will not overwrite')


@case
def damaged_notes(t):
    words = t.parts(WORDS, 2, 'out')
    path = t.path('out/x.5-tfrecord.part-00001-of-00002.json')
    with open(path) as f:
        text = f.read()
    note = json.loads(text)
    for change in ({'part': {**note['part'], 'index': 0}}, {'part': {**note['part'], 'parts': 1}}, {'version': 9}, {'shards': []},
                   {'shards': note['shards'][:1] + [{'name': '../x'}]}, {'classes': []}):
        with open(path, 'w') as f:
            json.dump({**note, **change}, f)
        _unchanged(t, t.path('out'), 1, 'finish', words[-1], says='part 1')
    for size in (0, 1, len(text) // 2):
        with open(path, 'w') as f:
            f.write(text[:size])
        _unchanged(t, t.path('out'), 1, 'finish', words[-1], says='note of part 1 is damaged')
        _unchanged(t, t.path('out'), 1, *words, '--part', '1/2', says=['note of this part is damaged', '-f'])
    t.good(*words, '-f', '--part', '1/2')
    t.good('finish', words[-1])


@case
def too_many_unusable_items(t):
    """Judged of all parts together, as one process does."""
    for i in range(30):
        folder = t.make('in/' + 'ab'[i % 2])
        if i % 3:
            with open('%s/%d.jpg' % (folder, i), 'w') as f:
                f.write('no image')
        else:
            shutil.copy(t.inputs + '/classes/class0/000.jpg', '%s/%d.jpg' % (folder, i))
    words = t.parts(['shard', t.path('in'), '-o', 'OUT/x@5.tfrecord'], 3, 'out')
    _unchanged(t, t.path('out'), 1, 'finish', words[-1], says='20 of 30 items are unusable')
    words = t.parts(['shard', t.path('in'), '--max-skipped', '70', '-o', 'OUT/x@5.tfrecord'], 3, 'more')
    t.good('finish', words[-1], '--expect', '10')
    words = t.parts(['shard', t.path('in'), '--max-skipped', '70', '-o', 'OUT/x@5.tfrecord'], 2, 'again')
    _unchanged(t, t.path('again'), 1, 'finish', words[-1], '--expect', '11', says='10 records where 11 are')


@case
def several_at_once(t):
    """Two equal parts: one is refused or both write the same; several ends: all succeed."""
    words = [w.replace('OUT', t.make('out')) for w in WORDS]
    for i in range(2):
        twins = [t.start(*words, '--part', '%d/2' % i) for _ in range(4)]
        said = [(p.communicate()[1].decode(), p.returncode) for p in twins]
        assert 0 in [status for _, status in said], said
        for text, status in said:
            assert status == 0 or re.search('another run|will not overwrite', text), text
    ends = [t.start('finish', words[-1]) for _ in range(6)]
    said = [(p.communicate()[1].decode(), p.returncode) for p in ends]
    assert [status for _, status in said] == [0] * 6, said
    assert shards(t.path('out')) == t.alone(WORDS)
    t.good('check', '-q', '--manifest', words[-1])
