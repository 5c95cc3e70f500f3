"""The parts of a job whose directory, inputs and outputs are in a bucket."""
import os
import re

from harness import DATA, case, read, records, write


def _inputs(t, s):
    for i in range(4):
        data = records(300, 1000 + 500 * i, i)
        write(t.path('in/x-0000%d-of-00004.tfrecord' % i), data)
        s.put('train', 'in/x-0000%d-of-00004.tfrecord' % i, data)


def _report(text):
    """Without the seconds that it took."""
    return re.sub(rb'"seconds": *[0-9.e-]+', b'', text)


def _run(t, words, job, phases=(None,), parts=3):
    for phase in phases:
        for i in range(parts):
            t.good(*words, '--part', '%d/%d' % (i, parts), '--job', job, *(['--phase', phase] if phase else []))
    return t.good('finish', job)


@case
def a_job_in_a_bucket_gives_the_same_bytes(t):
    s = t.store()
    _inputs(t, s)
    local, remote = t.path('in/x@4.tfrecord'), 's3://train/in/x@4.tfrecord'
    both = ('scatter', 'gather')
    for k, (words, phases) in enumerate([(['cat'], (None,)), (['shuffle'], both), (['dedup', t.path('in/x@4.tfrecord')], both)]):
        t.good(*words, local, '-o', t.path('alone-%d@3.tfrecord' % k))
        wanted = [read(t.path('alone-%d-0000%d-of-00003.tfrecord' % (k, i))) for i in range(3)]
        job = 's3://train/job-%d/' % k
        _run(t, [*words, remote, '-o', 's3://train/out-%d@3.tfrecord' % k], job, phases)
        assert [s.get('train', 'out-%d-0000%d-of-00003.tfrecord' % (k, i)) for i in range(3)] == wanted
        _run(t, [*words, remote, '-o', t.path('here-%d@3.tfrecord' % k)], job + 'other', phases)
        assert [read(t.path('here-%d-0000%d-of-00003.tfrecord' % (k, i))) for i in range(3)] == wanted
        assert 'finished already' in t.good('finish', job).err
    for words in (['count', '--sum'], ['check', '--json']):
        assert _run(t, [*words, remote], 's3://train/report-%s/' % words[0]).out == t.good(*words, remote).out
    words = ['diff', remote, t.path('here-1@3.tfrecord'), '--only', 'records']
    assert _run(t, words, 's3://train/diff/', both).out == t.good(*words).out


@case
def a_record_whose_answer_is_lost(t):
    """The repetition is refused, and the ETag does not tell whose the object is, as in encrypted buckets."""
    s = t.store()
    _inputs(t, s)
    words = ['cat', t.path('in/x@4.tfrecord'), '-o', t.path('out@3.tfrecord')]

    def encrypted(x):
        x.answer()
        for key, found in s.objects.items():
            if key[1].endswith('.part'):
                found.etag = '"of no digest"'
        x.close(reset=True)
    fault = s.inject(encrypted, when=lambda r: r.method == 'PUT' and '.part' in r.path, times=2)
    _run(t, words, 's3://train/job/', parts=2)
    assert fault.count == 2
    t.good('cat', *words[1:2], '-o', t.path('alone@3.tfrecord'))
    assert all(read(t.path('%s-0000%d-of-00003.tfrecord' % ('out', i))) == read(t.path('%s-0000%d-of-00003.tfrecord' % ('alone', i)))
               for i in range(3))
    assert len([k for k in s.keys_of('train') if '/data-' in k]) == 2


@case
def marks_whose_answers_are_lost(t):
    """The process that creates a mark knows that it did, and not another one: the last part finishes the job."""
    s = t.store()
    _inputs(t, s)
    words = ['cat', t.path('in/x@4.tfrecord'), '-o', t.path('out@3.tfrecord'), '--job', 's3://train/job/', '--wait']

    def encrypted(x):
        x.answer()
        for key, found in s.objects.items():
            if key[1].startswith('job/'):
                found.etag = '"of no digest"'
        x.close(reset=True)
    fault = s.inject(encrypted, when=lambda r: r.method == 'PUT' and r.path.endswith(('/finishing', '/publishing', '/done')), times=3)
    for i in range(2):
        t.good(*words, '--part', '%d/2' % i)
    assert fault.count == 3
    assert {'job/finishing', 'job/publishing', 'job/done'} <= set(s.keys_of('train')) and os.path.exists(t.path('out-00002-of-00003.tfrecord'))


@case
def parts_write_their_shards_into_a_bucket(t):
    s = t.store()
    _inputs(t, s)
    t.good('split', t.path('in/x@4.tfrecord'), '-o', t.path('a@5.tfrecord=0.6'), '-o', t.path('b@2.tfrecord.gz'))
    words = ['split', 's3://train/in/x@4.tfrecord', '-o', 's3://train/out/a@5.tfrecord=0.6', '-o', 's3://train/out/b@2.tfrecord.gz']
    for i in range(3):
        t.good(*words, '--part', '%d/3' % i, '--job', 's3://train/job/')
    for i in (2, 0, 2):
        t.good('finish', 's3://train/job/', '--part', '%d/3' % i)
    t.fails(1, 'finish', 's3://train/job/', says=[r'1 of 3 parts', r'tfr finish s3://train/job/ --part 1/3'], hint=False)
    t.good('finish', 's3://train/job/', '--part', '1/3')
    assert not [k for k in s.keys_of('train') if k.startswith('out/')]
    t.good('finish', 's3://train/job/')
    for name in [*('a-0000%d-of-00005.tfrecord' % i for i in range(5)), *('b-0000%d-of-00002.tfrecord.gz' % i for i in range(2))]:
        assert s.get('train', 'out/' + name) == read(t.path(name)), name


@case
def every_command_as_any_number_of_parts(t):
    """Inputs and outputs are files here; what the parts exchange is in the bucket."""
    t.store()
    both = ('scatter', 'gather')
    write(t.path('rows.jsonl'), b''.join(b'{"label": %d, "w": %f, "t": "%d"}\n' % (i * i % 7, i % 13, i % 900) for i in range(1500)))
    t.good('shard', t.path('rows.jsonl'), '-o', t.path('a@3.tfrecord'))
    t.good('shuffle', t.path('a@3.tfrecord'), '-o', t.path('b.tfrecord.gz'))
    a, b = t.path('a@3.tfrecord'), t.path('b.tfrecord.gz')
    commands = [(['count', '--sum', a, b], (None,)), (['check', '--json', a, b], (None,)), (['stats', a, b], (None,)),
                (['schema', a, b], (None,)), (['shard', b, a, '-o', 'OUT@4.tfrecord'], (None,)),
                (['shard', '-q', DATA + 'pairs', '-o', 'OUT@3.tfrecord', '--max-skipped', '90'], (None,)),
                (['cat', b, a, '--where', 'label < 3', '-o', 'OUT@4.tfrecord.gz'], (None,)),
                (['split', a, b, '-o', 'OUT-x@2.tfrecord=0.5', '-o', 'OUT-y.tfrecord'], (None,)),
                (['repair', a, b, '-o', 'OUT@2.tfrecord'], (None,)), (['shuffle', a, b, '-o', 'OUT@5.tfrecord'], both),
                (['dedup', a, b, '-o', 'OUT@2.tfrecord', '--key', 't'], both), (['diff', a, b, '--key', 't'], both),
                (['resample', a, b, '--by', 'label', '--target', 'uniform', '-o', 'OUT@3.tfrecord'], both)]

    def outputs(name):
        found = {f.removeprefix(name): read(t.path(f)) for f in os.listdir(t.folder) if f.startswith(name) and 'manifest' not in f}
        for f in os.listdir(t.folder):
            if f.startswith(name):
                os.remove(t.path(f))
        return found
    for k, (words, phases) in enumerate(commands):
        alone = t.run(*[w.replace('OUT', t.path('out')) for w in words])
        wanted = outputs('out')
        for n in (1, 2, 3, 8, 64):
            job = 's3://train/%d-%d/' % (k, n)
            for phase in phases:
                for i in range(n):
                    t.good(*[w.replace('OUT', t.path('out')) for w in words], '--part', '%d/%d' % (i, n), '--job', job,
                           *(['--phase', phase] if phase else []))
            end = t.run('finish', job)
            assert (end.status, _report(end.out)) == (alone.status, _report(alone.out)), (words, n, end.err)
            assert outputs('out') == wanted, (words, n)


@case
def a_job_that_was_published_by_a_process_that_was_killed(t):
    s = t.store()
    _inputs(t, s)
    _run(t, ['cat', 's3://train/in/x@4.tfrecord', '-o', 's3://train/out@3.tfrecord'], 's3://train/job/')
    names = ['out-0000%d-of-00003.tfrecord' % i for i in range(3)]
    wanted = [s.get('train', name) for name in names]
    del s.objects['train', 'job/done']
    del s.objects['train', names[1]]
    t.good('finish', 's3://train/job/')
    assert [s.get('train', name) for name in names] == wanted
    del s.objects['train', 'job/done']
    s.put('train', names[1], b'keep')
    t.fails(2, 'finish', 's3://train/job/', says=['will not overwrite', 'did not write it'], hint=False)
    assert s.get('train', names[1]) == b'keep'


@case
def classes_of_a_job_in_a_bucket(t):
    s = t.store()
    write(t.path('rows.jsonl'), b''.join(b'{"label": %d, "w": %f}\n' % (i * i % 7, i % 13) for i in range(2000)))
    t.good('shard', t.path('rows.jsonl'), '-o', 's3://train/rows@3.tfrecord')
    for words in (['stats', '--json'], ['schema']):
        assert _run(t, [*words, 's3://train/rows@3.tfrecord'], 's3://train/report-%s/' % words[0]).out == t.good(
            *words, 's3://train/rows@3.tfrecord').out
    for k, words in enumerate((['--by', 'label', '--target', 'uniform'], ['--weights', 'w', '--total', '300'])):
        words = ['resample', 's3://train/rows@3.tfrecord', *words]
        t.good(*words, '-o', t.path('alone-%d.tfrecord' % k))
        _run(t, [*words, '-o', t.path('parts-%d.tfrecord' % k)], 's3://train/job-%d' % k, ('scatter', 'gather'))
        assert read(t.path('alone-%d.tfrecord' % k)) == read(t.path('parts-%d.tfrecord' % k))


@case
def records_of_parts_are_created_once(t):
    s = t.store()
    _inputs(t, s)
    words = ['cat', 's3://train/in/x@4.tfrecord', '-o', t.path('out@2.tfrecord'), '--job', 's3://train/job/']
    twins = [t.start(*words, '--part', '0/2') for _ in range(4)]
    ends = [p.communicate() for p in twins]
    assert [p.returncode for p in twins] == [0] * 4, ends
    created = [r for r in s.seen('PUT') if r.path.endswith(('.part', 'job.json'))]
    assert created and all(r.headers.get('If-None-Match') == '*' for r in created)
    said = t.fails(1, 'finish', 's3://train/job/', says=[r'1 of 2 parts', r'--part 1/2 --job s3://train/job/'], hint=False)
    assert not os.path.exists(t.path('out-00000-of-00002.tfrecord')), said
    t.good(*words, '--part', '1/2')
    t.good('finish', 's3://train/job/')
    # the data of the processes that came second is gone
    data = [k for k in s.keys_of('train') if 'job/data-' in k]
    assert len(data) == 2, data
