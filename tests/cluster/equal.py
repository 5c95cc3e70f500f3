"""Any number of parts gives the bytes that one process gives."""
import os
import random
import shutil

from jobs import case

# a process takes ten times as long under sanitizers
NUMBERS = (1, 3, 8) if os.environ.get('SANITIZED') else (1, 2, 3, 8, 64)
BOTH = ('scatter', 'gather')


def _all(t, *arguments, phases=(None,), numbers=NUMBERS):
    for n in numbers:
        job = t.path('job-%d' % n)
        order = list(range(n))
        random.Random(n).shuffle(order)
        t.equal(arguments, job, phases, n, order)
        shutil.rmtree(job)


def _each(t, *commands, **options):
    for command in commands:
        _all(t, *command, **options)
        shutil.rmtree(t.path('alone'))


@case
def counts(t):
    _each(t, ['count', 'five@5.tfrecord', 'three@3.tfrecord.gz', 'one.tfrecord', '--per-file'],
          ['count', 'one.tfrecord', '--json', '--sum', '-j', '2'],
          ['count', 'examples@4.tfrecord', 'examples.tfrecord.gz', '--by', 'label'],
          ['count', 'examples@4.tfrecord', 'indexed.tfrecord.gz', '--where', 'label > 3', '--per-file'],
          ['count', 'bad.tfrecord', 'one.tfrecord', '--per-file'], ['count', 'bad.tfrecord', 'five@5.tfrecord', '--sum', '--json'])


@case
def checks(t):
    _each(t, ['check', 'bad.tfrecord', 'five@5.tfrecord', '--json'], ['check', '--quick', 'bad.tfrecord', 'five@5.tfrecord'], ['check', 'bad.tfrecord', 'three@3.tfrecord.gz'],
          ['check', 'examples@4.tfrecord', 'indexed.tfrecord.gz', 'one.tfrecord', '--example'],
          ['check', 'examples@4.tfrecord', 'indexed.tfrecord.gz', '--strict', '--manifest', '--json'])


@case
def schemas_and_statistics(t):
    _each(t, ['schema', 'examples@4.tfrecord', 'examples.tfrecord.gz'], ['schema', 'examples@4.tfrecord', '--emit', 'json'],
          ['stats', 'examples@4.tfrecord', 'indexed.tfrecord.gz'], ['stats', 'examples@4.tfrecord', '--json'])


@case
def records_of_sets(t):
    _each(t, ['cat', 'five@5.tfrecord', 'three@3.tfrecord.gz', 'one.tfrecord', '-o', 'OUT/x@4.tfrecord'],
          ['cat', 'one.tfrecord', '-o', 'OUT/x@7.tfrecord.gz'],
          ['cat', 'examples@4.tfrecord', 'indexed.tfrecord.gz', '--where', 'label == 3', '--drop', 'text', '-o', 'OUT/x.tfrecord'],
          ['cat', 'bad.tfrecord', 'five@5.tfrecord', '--on-error', 'skip', '-o', 'OUT/x@3.tfrecord'])


@case
def sets_of_records(t):
    _each(t, ['shard', 'five@5.tfrecord', 'three@3.tfrecord.gz', '-o', 'OUT/x@6.tfrecord', '-j', '2'],
          ['shard', 'one.tfrecord', '-o', 'OUT/x@auto.tfrecord', '--shard-size', '300K'],
          ['shard', 'one.tfrecord', '-o', 'OUT/x@auto.tfrecord', '--records-per-shard', '777'],
          ['shard', 'bad.tfrecord', '--on-error', 'skip', '-o', 'OUT/x@3.tfrecord'])


@case
def sets_of_images(t):
    _each(t, ['shard', 'images', '-o', 'OUT/x@4.tfrecord'],
          ['shard', 'images', '-o', 'OUT/x@4.tfrecord=0.8', '-o', 'OUT/y@2.tfrecord', '--resize', '16', '-j', '2'],
          ['shard', 'images', '-o', 'OUT/x@auto.tfrecord', '--seed', '3'])


@case
def splits(t):
    _each(t, ['split', 'examples@4.tfrecord', 'indexed.tfrecord.gz', '-o', 'OUT/a@3.tfrecord=0.7', '-o', 'OUT/b.tfrecord=0.2',
              '-o', 'OUT/c@2.tfrecord'],
          ['split', 'examples@4.tfrecord', '--key', 'text', '-o', 'OUT/a@3.tfrecord=0.5', '-o', 'OUT/b@2.tfrecord'])


@case
def repairs(t):
    _each(t, ['repair', 'bad.tfrecord', 'five@5.tfrecord', '-o', 'OUT/x@3.tfrecord'],
          ['repair', 'bad.tfrecord', 'five@5.tfrecord', '--json', '-o', 'OUT/x.tfrecord'])


@case
def shuffles(t):
    _each(t, ['shuffle', 'five@5.tfrecord', 'three@3.tfrecord.gz', '-o', 'OUT/x@6.tfrecord', '-j', '2'],
          ['shuffle', 'one.tfrecord', '--seed', '7', '-o', 'OUT/x.tfrecord'],
          ['shuffle', 'examples@4.tfrecord', 'indexed.tfrecord.gz', '--where', 'label == 3', '-o', 'OUT/x@6.tfrecord.gz'],
          ['shuffle', 'bad.tfrecord', 'five@5.tfrecord', '--on-error', 'skip', '-m', '8M', '-o', 'OUT/x@70.tfrecord'], phases=BOTH)


@case
def duplicates(t):
    _each(t, ['dedup', 'five@5.tfrecord', 'three@3.tfrecord.gz', 'one.tfrecord', '-o', 'OUT/x@6.tfrecord', '-j', '2'],
          ['dedup', 'examples@4.tfrecord', 'indexed.tfrecord.gz', '--key', 'text', '-o', 'OUT/x.tfrecord', '--report', 'OUT/report'],
          ['dedup', 'examples@4.tfrecord', 'indexed.tfrecord.gz', '--where', 'label < 3', '-m', '1', '-o', 'OUT/x@2.tfrecord'],
          ['dedup', 'bad.tfrecord', 'five@5.tfrecord', '--on-error', 'skip', '-o', 'OUT/x@3.tfrecord'], phases=BOTH)


@case
def resamples(t):
    """Every method; classes of numbers, of bytes, of expressions."""
    _each(t, ['resample', 'examples@4.tfrecord', 'indexed.tfrecord.gz', '--by', 'label', '--target', 'uniform', '-o', 'OUT/x@6.tfrecord',
              '-j', '2'],
          ['resample', 'examples@4.tfrecord', '--by', 'text', '--target', 'uniform', '--method', 'oversample', '--seed', '3', '--json',
           '-o', 'OUT/x.tfrecord.gz'],
          ['resample', 'examples@4.tfrecord', '--class', 'low=label < 2', '--class', 'high=label > 4', '--target', 'low=1,high=2',
           '--json', '-o', 'OUT/x@3.tfrecord'],
          ['resample', 'indexed.tfrecord.gz', '--by', 'label', '--per-class', '100', '--where', 'x < 0.5', '-o', 'OUT/x@3.tfrecord'],
          ['resample', 'examples@4.tfrecord', '--by', 'label', '--target', 'uniform', '--method', 'reject', '--json',
           '-o', 'OUT/x@3.tfrecord'],
          ['resample', 'examples@4.tfrecord', 'texts@2.tfrecord', '--by', 'label', '--target', 'uniform', '--on-error', 'skip', '--json',
           '-o', 'OUT/x@3.tfrecord'],
          ['resample', 'examples@4.tfrecord', 'indexed.tfrecord.gz', '--weights', 'x', '--total', '3000', '--json', '-o', 'OUT/x@3.tfrecord'],
          ['resample', 'examples@4.tfrecord', '--weights', 'label', '--total', '9000', '--method', 'oversample', '--where', 'x < 0.8',
           '-o', 'OUT/x@3.tfrecord'],
          ['resample', 'examples@4.tfrecord', '--weights', 'x', '--method', 'reject', '--json', '-o', 'OUT/x.tfrecord'], phases=BOTH)


@case
def differences(t):
    """By content, by key, by order; the schema and the values too; and what both have."""
    _each(t, ['diff', 'examples@4.tfrecord', 'later@3.tfrecord'], ['diff', 'examples@4.tfrecord', 'later@3.tfrecord', '--key', 'id', '--json'],
          ['diff', 'later@3.tfrecord', 'examples@4.tfrecord', '--key', 'id', '--ordered', '--only', 'records', '-j', '2'],
          ['diff', 'five@5.tfrecord', 'three@3.tfrecord.gz', '--only', 'records'],
          ['diff', 'five@5.tfrecord', 'three@3.tfrecord.gz', '--only', 'records', '--ordered', '--json'],
          ['diff', 'examples@4.tfrecord', 'later@3.tfrecord', '--only', 'schema,values', '--threshold', '0.01'],
          ['diff', 'examples@4.tfrecord', 'examples.tfrecord.gz', '--features', '-m', '1'],
          ['diff', 'examples@4.tfrecord', 'later@3.tfrecord', '--where', 'label > 2', '--key', 'text', '--examples', '50'],
          ['diff', 'bad.tfrecord', 'five@5.tfrecord', '--on-error', 'skip', '--only', 'records'], phases=BOTH)
    _each(t, ['diff', 'examples@4.tfrecord', 'later@3.tfrecord', '--overlap'],
          ['diff', 'examples@4.tfrecord', 'later@3.tfrecord', '--overlap', '--key', 'text', '--json'], phases=BOTH)


@case
def parts_that_write_their_shards(t):
    """Shards that fill are written by the process that finishes, and so is all that is no set."""
    for words, *phases in (
            (['cat', 'five@5.tfrecord', 'three@3.tfrecord.gz', '-o', 'OUT/x@4.tfrecord'], None),
            (['cat', 'one.tfrecord', '-o', 'OUT/x.tfrecord.gz'], None),
            (['shard', 'one.tfrecord', '-o', 'OUT/x@auto.tfrecord', '--shard-size', '300K'], None),
            (['shard', 'images', '-o', 'OUT/x@4.tfrecord=0.8', '-o', 'OUT/y@2.tfrecord.gz', '--json'], None),
            (['split', 'five@5.tfrecord', '-o', 'OUT/a@3.tfrecord=0.7', '-o', 'OUT/b.tfrecord=0.2', '-o', 'OUT/c@9.tfrecord'], None),
            (['repair', 'bad.tfrecord', 'five@5.tfrecord', '-o', 'OUT/x@3.tfrecord'], None),
            (['dedup', 'five@5.tfrecord', 'one.tfrecord', '-o', 'OUT/x@6.tfrecord', '--report', 'OUT/report'], *BOTH),
            (['resample', 'examples@4.tfrecord', '--by', 'label', '--target', 'uniform', '-o', 'OUT/x@6.tfrecord.gz'], *BOTH)):
        for n in (1, 3, 8):
            t.equal(words, t.path('job'), phases, n, [*range(n), 0], ends=True)
            shutil.rmtree(t.path('job'))
        shutil.rmtree(t.path('alone'))


@case
def indexes(t):
    """A part writes the indexes of its files."""
    for n in NUMBERS:
        for name in ('five-00000-of-00005.tfrecord', 'five-00003-of-00005.tfrecord', 'three-00001-of-00003.tfrecord.gz'):
            shutil.copy(t.inputs.folder + '/' + name, t.folder)
        words = ['index', *(t.path(name) for name in ('five-00000-of-00005.tfrecord', 'five-00003-of-00005.tfrecord',
                                                      'three-00001-of-00003.tfrecord.gz'))]
        t.good(*words)
        wanted = {name: open(t.path(name)).read() for name in ('five-00000-of-00005.tfrecord.idx', 'five-00003-of-00005.tfrecord.idx')}
        for name in wanted:
            os.remove(t.path(name))
        for i in range(n):
            t.good(*words, '--part', '%d/%d' % (i, n), '--job', t.path('job-%d' % n))
        t.good('finish', t.path('job-%d' % n))
        assert wanted == {name: open(t.path(name)).read() for name in wanted}


@case
def a_part_that_runs_again(t):
    arguments = ['cat', 'five@5.tfrecord', '-o', 'OUT/x@4.tfrecord']
    t.equal(arguments, t.path('job'), order=(0, 1, 1, 0, 2, 2))


@case
def one_part_many_times_at_once(t):
    """A scheduler that starts a part twice, and two processes that finish: one of each counts."""
    def do(words, plain):
        for i in range(2):
            twins = [t.start(*words, '--part', '%d/2' % i, '--job', t.path('job')) for _ in range(4)]
            assert [p.wait() for p in twins] == [0] * 4
        assert len([n for n in os.listdir(t.path('job')) if n.startswith('data-')]) == 2, os.listdir(t.path('job'))
        ends = [t.start('finish', t.path('job')) for _ in range(3)]
        assert 0 in [p.wait() for p in ends]
    t.compared(['cat', 'five@5.tfrecord', '-o', 'OUT/x@4.tfrecord'], t.path('job'), do)


@case
def a_part_that_ran_finishes_for_one_that_was_killed(t):
    """A scheduler that runs a task again knows nothing else to do."""
    def do(words, plain):
        for i in range(2):
            t.good(*words, '--part', '%d/2' % i, '--job', t.path('job'))
        with open(t.path('job/finishing'), 'w'):
            pass
        t.good(*words, '--part', '1/2', '--job', t.path('job'), '--wait')
        assert os.path.exists(t.path('job/done'))
        t.good(*words, '--part', '0/2', '--job', t.path('job'), '--wait')
    t.compared(['cat', 'five@5.tfrecord', '-o', 'OUT/x@4.tfrecord'], t.path('job'), do)


@case
def the_last_part_finishes(t):
    for words in (['shuffle', 'five@5.tfrecord', '-o', 'OUT/x@5.tfrecord'], ['cat', 'five@5.tfrecord', '-o', 'OUT/x@5.tfrecord']):
        def do(words, plain):
            parts = [t.start(*words, '--part', '%d/4' % i, '--job', t.path('job'), '--wait') for i in range(4)]
            assert [p.wait() for p in parts] == [0] * 4
        t.compared(words, t.path('job'), do)
        shutil.rmtree(t.path('alone'))
        shutil.rmtree(t.path('job'))
