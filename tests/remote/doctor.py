"""tfr doctor on objects: a request that fails is never taken for something that is not there."""
import gzip
import shlex

from harness import DATA, MIB, case, records, write
from servers import faults, store


def _upload(s, name, key):
    s.uploads[name] = store.Upload('train', key, None, {})


def _commands(result):
    return [shlex.split(line) for line in result.out.decode().splitlines() if line.startswith(('  fix: ', '  see: '))]


def _data_sets(t):
    """A store with the sets that let doctor ask for everything it asks for."""
    s = t.store()
    write(t.path('small'), records(90, 1000))
    t.good('shard', DATA + 'images', '-o', 's3://train/m/x@3.tfrecord')
    t.good('index', 's3://train/m/x@3.tfrecord')
    t.good('cat', t.path('small'), '-o', 's3://train/m/y@2.tfrecord')
    del s.objects['train', 'm/y.2-tfrecord.manifest.json']
    s.put('train', 'm/stream.tfrecord.gz', gzip.compress(records(5, 1 * MIB), 1))
    s.put('train', 'm/unnamed', gzip.compress(records(3, 100)))
    s.put('train', 'm/stranger', b'words')
    s.put('train', 'm/empty.tfrecord', b'')
    _upload(s, 'ID-1', 'm/z.tfrecord')
    s.requests.clear()
    return s


def _doctor(t, *options, place='s3://train/m/'):
    return t.run('doctor', '-q', '-j', 1, *options, place)


@case
def a_request_that_fails_ends_the_command(t):
    """One after another, alone and with all that follow."""
    s = _data_sets(t)
    for place, least in (('s3://train/m/', 40), ('s3://train/m/x@3.tfrecord', 10), ('s3://train/m/x.3-tfrecord.manifest.json', 10)):
        s.faults.clear()
        s.requests.clear()
        right, count = _doctor(t, place=place), len(s.requests)
        assert right.status in (0, 1) and not right.err and count >= least, (right, s.requests)
        for k in range(count):
            for times in (None, 1):
                s.faults.clear()
                s.requests.clear()
                fault = s.inject(faults.status(400, 'InvalidRequest', 'the words of the server'), times=times, skip=k)
                result = _doctor(t, place=place)
                if times and (result.status, result.out) == (right.status, right.out):
                    continue  # it asked again
                assert fault.count and result.status == 3 and 's3://train/' in result.err, (k, times, result, s.requests)
                assert 'the words of the server' in result.err and not result.out, (k, times, result, s.requests)


@case
def parts_that_cannot_be_looked_for(t):
    """Their listing is not remembered for long; without it, the command would rewrite a set that is being written."""
    s = t.store()
    s.put('train', 'm/x-00000-of-00002.tfrecord', records(3, 100))
    s.inject(faults.late(6), when=lambda r: r.path.endswith('.tfrecord'))
    fault = s.inject(faults.status(400, 'InvalidRequest', 'the words of the server'), when=lambda r: 'delimiter' in r.parameters, times=None, skip=1)
    result = _doctor(t)
    assert fault.count and result.status == 3 and 'the words of the server' in result.err and not result.out, (result, s.requests)


@case
def time_outs_do_not_add_up(t):
    s = _data_sets(t)
    for name, when in {'uploads': lambda r: 'uploads' in r.parameters,
                       'manifests': lambda r: r.path.endswith('manifest.json'),
                       'indexes': lambda r: r.path.endswith('.idx'),
                       'objects': lambda r: r.path.endswith(('.tfrecord', '.gz', 'unnamed'))}.items():
        s.faults.clear()
        fault = s.inject(faults.stall(), when=when, times=None)
        result = _doctor(t, '--timeout', 2)
        assert fault.count and result.status == 3 and 'no answer for' in result.err and 's3://train/' in result.err, (name, result)
        assert result.seconds < 5, (name, result)


@case
def objects_that_are_refused_are_findings(t):
    """The rest is inspected."""
    s = _data_sets(t)
    s.inject(faults.status(403, 'InvalidObjectState', 'the object is archived'), when=lambda r: r.path.endswith('/stream.tfrecord.gz'), times=None)
    result = _doctor(t)
    assert result.status == 3 and b'error: unreadable: s3://train/m/stream.tfrecord.gz' in result.out, result
    assert b'archived' in result.out and b'no-manifest: s3://train/m/y@2.tfrecord' in result.out, result


@case
def uploads_that_may_not_be_listed_are_mentioned(t):
    """Public buckets forbid it, and some servers do not know the request."""
    for answer in ((403, 'AccessDenied'), (501, 'NotImplemented'), (405, 'MethodNotAllowed')):
        s = t.store()
        s.put('train', 'm/x.tfrecord', records(3, 100))
        s.inject(faults.status(*answer), when=lambda r: 'uploads' in r.parameters, times=None)
        result = t.good('doctor', 's3://train/m/')
        assert b'note: uploads: s3://train/m/' in result.out and answer[1].encode() in result.out, result


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
def a_prefix_with_nothing_but_uploads(t):
    """A first run that is killed leaves that."""
    s = t.store()
    _upload(s, 'ID-1', 'm/x.tfrecord')
    _upload(s, 'ID-2', 'm/y.tfrecord')
    for place in ('s3://train/m/', 's3://train/m', 's3://train/', 's3://train'):
        result = t.run('doctor', place)
        assert result.status == 1 and len(_commands(result)) == 2, (place, result)
    t.fails(3, 'doctor', 's3://train/n/', says=['s3://train/n/', 'No such file'], hint=False)


@case
def no_command_of_the_shell_has_an_address(t):
    s = t.store()
    s.put('train', 'm/x.tfrecord', records(3, 100))
    s.put('train', 'm/words', b'words')
    result = t.good('doctor', 's3://train/m/')
    assert b'stranger' in result.out and b'mkdir' not in result.out, result
