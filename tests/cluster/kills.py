"""Parts, and their end, that are killed at each change that they make to files: the same command afterwards gives the same set."""
import os
import shutil
import signal

from parts import Unavailable, case, shards

CHANGES = 4000   # more than any of them makes


def _copy(source, target):
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)


def _attack(t, words, check):
    """Kills the command at each change, checks what is visible, and repeats it."""
    _copy(t.path('out'), t.path('before'))
    for number in range(1, CHANGES):
        for after in (0, 1):
            _copy(t.path('before'), t.path('out'))
            killed = t.run(*words, env={'LD_PRELOAD': t.shim, 'CRASH_KILL': str(number), 'CRASH_AFTER': str(after)})
            assert killed.returncode in (0, -signal.SIGKILL), killed
            if killed.returncode == 0:
                assert number > 3, 'the shim saw no changes'
                return
            check(shards(t.path('out')))
            t.good(*words)
    raise AssertionError('%s does not end' % words)


@case
def each_change(t):
    if not t.shim:
        raise Unavailable('no --shim')
    words = ['shard', 'classes', '-o', 'OUT/x@3.tfrecord', '-q']
    wanted = t.alone(words)
    words = [w.replace('OUT', t.make('out')) for w in words]

    def whole(found):
        """Shards are complete or not there."""
        assert found.items() <= wanted.items(), found.keys()

    for i in range(2):
        _attack(t, [*words, '--part', '%d/2' % i], whole)
    _attack(t, [*words, '--part', '1/2'], whole)   # a part that replaces its own shards
    _attack(t, ['finish', words[3]], whole)
    assert shards(t.path('out')) == wanted
    t.good('check', '-q', '--manifest', words[3])
    assert not [name for name in os.listdir(t.path('out')) if '.part-' in name]
