"""What a job cannot be made of: each is named, and nothing is published."""
import os
import shutil
import subprocess

from jobs import case, environment, tree


@case
def parts_and_options(t):
    job = t.path('job')
    t.fails(2, 'count', 'one.tfrecord', '--part', '2/2', '--job', job, says=['counts from 0', '0/2 to 1/2'])
    t.fails(2, 'count', 'one.tfrecord', '--part', '0/2', says='--job DIR')
    t.fails(2, 'count', 'one.tfrecord', '--job', job, says='--part')
    t.fails(2, 'count', 'one.tfrecord', '--part', '1', '--job', job, says='I/N')
    t.fails(2, 'count', 'one.tfrecord', '--part', '0/0', '--job', job, says='1 to 100000')
    t.fails(2, 'count', 'one.tfrecord', '--part', '0/2', '--phase', 'gather', '--job', job, says='two phases')
    t.fails(2, 'shuffle', 'one.tfrecord', '-o', t.path('x'), '--part', '0/2', '--job', job, says='--phase scatter')
    t.fails(2, 'shuffle', 'one.tfrecord', '-o', t.path('x'), '--part', '0/2', '--phase', 'gathr', '--job', job, says='gathr')
    t.fails(2, 'show', 'one.tfrecord', '--part', '0/2', '--job', job, says='unknown option')
    assert not os.path.exists(job)


@case
def what_needs_all_records(t):
    job = t.path('job')
    for words in (['cat', 'one.tfrecord', '--limit', '3'], ['cat', 'one.tfrecord', '--every', '2'], ['cat', 'one.tfrecord', '--to', 'raw'],
                  ['cat', 'one.tfrecord', '--on-error', 'quarantine=q'], ['split', 'examples@4.tfrecord', '--stratify', 'label'],
                  ['shard', 'images', '--report', 'r'], ['shard', 'images', '--resume'], ['shuffle', 'one.tfrecord', '--resume']):
        phase = ['--phase', 'scatter'] if words[0] == 'shuffle' else []
        t.fails(2, *words, '-o', t.path('x@2.tfrecord'), '--part', '0/2', '--job', job, *phase, says='cannot go with --part')
        shutil.rmtree(job, ignore_errors=True)
    t.fails(2, 'shard', 'rows.jsonl', '-o', t.path('x@2.tfrecord'), '--part', '0/2', '--job', job, says='divided')
    shutil.rmtree(job)
    t.fails(2, 'cat', '-', '-o', t.path('x'), '--part', '0/2', '--job', job, says='standard input')
    shutil.rmtree(job)
    t.fails(2, 'cat', 'one.tfrecord', '--part', '0/2', '--job', job, says='standard output')


@case
def other_terms(t):
    job = t.path('job')
    t.good('count', 'one.tfrecord', '--part', '0/3', '--job', job)
    t.fails(2, 'count', 'one.tfrecord', '--sum', '--part', '1/3', '--job', job, says=['--sum no', '--sum yes'])
    t.fails(2, 'count', 'one.tfrecord', '--part', '1/4', '--job', job, says='3 parts, not 4')
    t.fails(2, 'count', 'five@5.tfrecord', '--part', '1/3', '--job', job, says=['one.tfrecord', 'five@5'])
    t.fails(2, 'check', 'one.tfrecord', '--part', '1/3', '--job', job, says=['tfr count', 'tfr check'])
    for seed in (1, 2):
        (t.good if seed == 1 else t.fails)(*([] if seed == 1 else [2]), 'shuffle', 'one.tfrecord', '-o', t.path('x'), '--seed', seed,
                                           '--part', '0/2', '--phase', 'scatter', '--job', t.path('s'))


@case
def missing_parts(t):
    job, out = t.path('job'), t.path('out')
    os.makedirs(out)
    words = ['cat', 'one.tfrecord', '-o', out + '/x@2.tfrecord']
    t.good(*words, '--part', '1/3', '--job', job)
    t.fails(1, 'finish', job, says=['2 of 3 parts', r'tfr cat .* --part 0/3', r'--part 2/3'])
    t.good(*words, '--part', '0/3', '--job', job)
    t.good(*words, '--part', '2/3', '--job', job)
    assert not tree(out)
    t.good('finish', job)
    before = tree(out)
    t.good('finish', job)
    assert before and before == tree(out)
    t.fails(2, 'finish', t.path('none'), says='no job')
    t.fails(2, 'finish')


@case
def gather_before_scatter(t):
    job, words = t.path('job'), ['shuffle', 'one.tfrecord', '-o', t.path('x@2.tfrecord'), '--job', t.path('job')]
    t.fails(2, *words, '--part', '0/2', '--phase', 'gather', says='missing: 0, 1')
    t.good(*words, '--part', '0/2', '--phase', 'scatter')
    t.fails(2, *words, '--part', '0/2', '--phase', 'gather', says='missing: 1')
    t.fails(1, 'finish', job, says='1 of 2 parts of scatter')


@case
def memory_that_makes_small_pieces(t):
    """Scatter warns before it reads; the file is as long as one of 8 GB, and damaged."""
    with open(t.path('large.tfrecord'), 'wb') as f:
        f.truncate(8 << 30)
    words = ['shuffle', t.path('large.tfrecord'), '-o', t.path('x@2.tfrecord'), '--part', '1/2', '--phase', 'scatter']
    t.fails(1, *words, '-m', '8M', '--job', t.path('job'), says=['pieces of 511 bytes', '-m 128M'])
    assert b'pieces' not in t.fails(1, *words, '-m', '128M', '--job', t.path('other')).stderr


def _counted(t, parts=2):
    job = t.path('job')
    for i in range(parts):
        t.good('count', 'one.tfrecord', '--sum', '--part', '%d/%d' % (i, parts), '--job', job)
    return job


@case
def damaged_records(t):
    job = _counted(t)
    path = job + '/part-00001.part'
    with open(path, 'rb') as f:
        whole = f.read()
    for at in range(0, len(whole), 7):
        with open(path, 'wb') as f:
            f.write(whole[:at] + bytes([whole[at] ^ 0x40]) + whole[at + 1:])
        assert not t.fails(1, 'finish', job, says='record of part 1').stdout
    for size in (0, 1, 40, len(whole) - 1):
        with open(path, 'wb') as f:
            f.write(whole[:size])
        t.fails(1, 'finish', job, says='record of part 1')
    shutil.copy(job + '/part-00000.part', path)
    t.fails(1, 'finish', job, says='another part')


@case
def parts_of_another_job(t):
    job = _counted(t)
    os.rename(job, t.path('first'))
    _counted(t)
    shutil.copy(t.path('first') + '/part-00001.part', job + '/part-00001.part')
    t.fails(1, 'finish', job, says=['part 1', 'another job'])


@case
def changed_inputs(t):
    shutil.copy(t.inputs.folder + '/one.tfrecord', t.path('in.tfrecord'))
    words = ['cat', t.path('in.tfrecord'), '-o', t.path('out@2.tfrecord'), '--job', t.path('job')]
    t.good(*words, '--part', '0/2')
    shutil.copy(t.inputs.folder + '/five-00000-of-00005.tfrecord', t.path('in.tfrecord'))
    t.good(*words, '--part', '1/2')
    t.fails(1, 'finish', t.path('job'), says=['part 0', 'other inputs'])
    assert not os.path.exists(t.path('out-00000-of-00002.tfrecord'))


@case
def damaged_exchange(t):
    job = t.path('job')
    for i in range(2):
        t.good('cat', 'one.tfrecord', '-o', t.path('x@2.tfrecord'), '--part', '%d/2' % i, '--job', job)
    data, = [n for n in os.listdir(job) if n.startswith('data-00001')]
    with open(job + '/' + data, 'r+b') as f:
        f.seek(5000)
        byte = f.read(1)[0]
        f.seek(5000)
        f.write(bytes([byte ^ 1]))
    t.fails(1, 'finish', job, says='part 1')
    with open(job + '/' + data, 'r+b') as f:
        f.truncate(9000)
    t.fails(1, 'finish', job, says='part 1')
    os.remove(job + '/' + data)
    t.fails(3, 'finish', job, says='data-00001')
    assert not os.path.exists(t.path('x-00000-of-00002.tfrecord'))
    os.remove(job + '/part-00001.part')
    t.good('cat', 'one.tfrecord', '-o', t.path('x@2.tfrecord'), '--part', '1/2', '--job', job)
    t.good('finish', job)


@case
def files_of_others_where_a_killed_process_published(t):
    """The end of a job is repeated over its own files, and not over others."""
    job, out = t.path('job'), t.path('x-00001-of-00002.tfrecord')
    for i in range(2):
        t.good('cat', 'one.tfrecord', '-o', t.path('x@2.tfrecord'), '--part', '%d/2' % i, '--job', job)
    t.good('finish', job)
    before = {name: open(t.path(name), 'rb').read() for name in os.listdir(t.folder) if name.startswith('x')}
    os.remove(job + '/done')
    t.good('finish', job)
    assert {name: open(t.path(name), 'rb').read() for name in before if 'manifest' not in name} == {
        name: data for name, data in before.items() if 'manifest' not in name}
    t.good('check', '--manifest', t.path('x@2.tfrecord'))
    os.remove(job + '/done')
    with open(out, 'wb') as f:
        f.write(b'keep')
    t.fails(2, 'finish', job, says=['will not overwrite', 'did not write it'])
    assert open(out, 'rb').read() == b'keep'
    os.remove(out)
    t.good('finish', job)
    assert open(out, 'rb').read() == before['x-00001-of-00002.tfrecord']


@case
def outputs_that_exist_and_directories_that_cannot_be_written(t):
    with open(t.path('x-00000-of-00002.tfrecord'), 'w') as f:
        f.write('keep')
    t.fails(2, 'cat', 'one.tfrecord', '-o', t.path('x@2.tfrecord'), '--part', '0/2', '--job', t.path('job'), says='will not overwrite')
    t.fails(3, 'count', 'one.tfrecord', '--part', '0/2', '--job', '/proc/self/job', says='job directory')
    with open(t.path('file'), 'w'):
        pass
    t.fails(3, 'count', 'one.tfrecord', '--part', '0/2', '--job', t.path('file'), says='job directory')


@case
def a_full_disk_in_one_part(t):
    """The limit on file sizes stands for it: the write fails, the part names the file, and nothing is recorded."""
    job = t.path('job')
    words = [t.tfr, 'cat', 'one.tfrecord', '-o', t.path('x@2.tfrecord'), '--part', '0/2', '--job', job]
    limited = subprocess.run(['sh', '-c', 'trap "" XFSZ; ulimit -f 100; exec "$@"', 'sh', *words], capture_output=True,
                             cwd=t.inputs.folder, env=environment())
    assert limited.returncode == 3 and b'data-00000' in limited.stderr, limited
    assert [n for n in os.listdir(job) if not n.startswith('job.json')] == [], os.listdir(job)
    t.fails(1, 'finish', job, says='2 of 2 parts')
    t.good(*words[1:])
