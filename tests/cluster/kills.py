"""Steps of a job that are killed at each change that they make to files: nothing half done is seen, and the same command
afterwards completes the job with the same bytes."""
import os
import shutil
import signal

from jobs import Unavailable, case, tree

STEPS = 4000   # more changes than any step makes


def _visible(folder):
    return {path: digest for path, digest in tree(folder).items() if not any(name.startswith('.') for name in path.split('/'))}


def _copy(source, target):
    shutil.rmtree(target, ignore_errors=True)
    if os.path.exists(source):
        shutil.copytree(source, target)


def _killed(t, words, number, after):
    """Whether the command was killed before it ended."""
    result = t.run(*words, env={'LD_PRELOAD': t.shim, 'CRASH_KILL': str(number), 'CRASH_AFTER': str(after)})
    assert result.returncode in (0, -signal.SIGKILL), '%s: status %d: %s' % (words, result.returncode, result.stderr.decode())
    return result.returncode != 0


def _attack(t, steps, k, wanted):
    """Kills step k of the job at each change, and then runs it and all later steps."""
    job, out = t.path('job'), t.path('alone')
    _copy(job, t.path('job-before'))
    _copy(out, t.path('out-before'))
    last = k + 1 == len(steps)
    for number in range(1, STEPS):
        for after in (0, 1):
            _copy(t.path('job-before'), job)
            _copy(t.path('out-before'), out)
            if not _killed(t, steps[k], number, after):
                assert number > 3, 'the shim saw no changes'
                return
            seen = _visible(out)
            assert seen.items() <= wanted.items() if last else not seen, '%s, killed at %d: %s' % (steps[k], number, seen.keys())
            for words in steps[k:]:
                t.good(*words)
            found = tree(out)
            assert found == wanted, '%s, killed at %d: %s' % (
                steps[k], number, [p for p in {*found, *wanted} if found.get(p) != wanted.get(p)])
    raise AssertionError('%s does not end' % steps[k])


def _all(t, arguments, phases=(None,), ends=False):
    if not t.shim:
        raise Unavailable('no --shim')
    plain, wanted = t.alone(arguments)
    assert plain.returncode == 0
    words = [a.replace('OUT', t.path('alone')) for a in arguments]
    steps = [[*words, '--part', '%d/2' % i, '--job', t.path('job'), *(['--phase', phase] if phase else [])]
             for phase in phases for i in range(2)]
    steps += [['finish', t.path('job'), '--part', '%d/2' % i] for i in range(2)] if ends else []
    steps.append(['finish', t.path('job')])
    _copy('', t.path('alone'))
    os.makedirs(t.path('alone'))
    for k, step in enumerate(steps):
        if k in (0, 1, len(steps) - 1) or 'gather' in step or (ends and step[0] == 'finish'):
            _attack(t, steps, k, wanted)
            _copy(t.path('job-before'), t.path('job'))
            _copy(t.path('out-before'), t.path('alone'))
        t.good(*step)
    assert tree(t.path('alone')) == wanted


@case
def a_set(t):
    _all(t, ['cat', 'examples@4.tfrecord', '-o', 'OUT/x@2.tfrecord'])


@case
def shards_that_parts_write(t):
    _all(t, ['split', 'examples@4.tfrecord', '-o', 'OUT/x@2.tfrecord=0.5', '-o', 'OUT/y.tfrecord.gz'], ends=True)


@case
def a_shuffle(t):
    _all(t, ['shuffle', 'examples@4.tfrecord', '-o', 'OUT/x@3.tfrecord'], ('scatter', 'gather'))


@case
def a_set_without_duplicates(t):
    _all(t, ['dedup', 'examples@4.tfrecord', 'examples.tfrecord.gz', '-o', 'OUT/x@2.tfrecord', '--report', 'OUT/report'],
         ('scatter', 'gather'))


@case
def a_report(t):
    _all(t, ['stats', 'examples@4.tfrecord', '--html', 'OUT/x.html'])
