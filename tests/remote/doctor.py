"""tfr doctor on objects: a request that fails is never taken for something that is not there."""
import shlex

from harness import case, records
from servers import store


def _upload(s, name, key):
    s.uploads[name] = store.Upload('train', key, None, {})


def _commands(result):
    return [shlex.split(line) for line in result.out.decode().splitlines() if line.startswith(('  fix: ', '  see: '))]


@case
def uploads_have_their_names(t):
    """Some servers encode keys where they are asked to and do not say so."""
    names = ['sp ace', 'per%20cent', 'plus+', 'ünïcode', 'am&p']
    for encodes in (True, False):
        s = t.store(encodes=encodes)
        s.put('train', 'm/x.tfrecord', records(3, 100))
        for i, name in enumerate(names):
            _upload(s, 'ID-%d' % i, 'm/' + name)
        result = t.run('doctor', 's3://train/m/')
        keys = {c[c.index('--key') + 1] for c in _commands(result)}
        assert result.status == 1 and keys == {'m/' + name for name in names}, (encodes, result)


@case
def no_command_of_the_shell_has_an_address(t):
    s = t.store()
    s.put('train', 'm/x.tfrecord', records(3, 100))
    s.put('train', 'm/words', b'words')
    result = t.good('doctor', 's3://train/m/')
    assert b'stranger' in result.out and b'mkdir' not in result.out, result
