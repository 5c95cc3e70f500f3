"""Writing objects: the bytes, the requests, nothing overwritten, nothing half there."""
import os
import re
import signal
import subprocess
import sys
import time

from harness import DATA, MIB, SECRET, Unavailable, case, records, write
from servers import faults, store

OUT = 's3://train/out.tfrecord'


def _input(t, size):
    return write(t.path('in/in.tfrecord'), records(size // 20000, 20000))


def _wait(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, 'it did not happen'
        time.sleep(.01)


def _both(t):
    """The two kinds of stores, with the URL of an object in each."""
    yield t.store(), OUT
    yield t.store(google=True), 'gs://train/out.tfrecord'


@case
def a_small_object_is_one_put(t):
    source = _input(t, 300000)
    wanted = t.good('cat', source).out
    for s, url in _both(t):
        t.good('cat', source, '-o', url)
        assert s.get('train', 'out.tfrecord') == wanted
        put, = s.seen('PUT')
        if s.google:
            assert put.headers.get('x-goog-if-generation-match') == '0' and 'crc32c=' in put.headers.get('x-goog-hash', '')
        else:
            assert put.headers.get('If-None-Match') == '*' and put.headers.get('x-amz-checksum-crc32c')
        assert not s.seen('POST'), s.requests


@case
def a_large_object_is_equal_parts(t):
    source = _input(t, 50 * MIB)
    wanted = t.good('cat', source).out
    for s, url in _both(t):
        s.equal_parts = True
        t.good('cat', source, '-o', url)
        assert s.get('train', 'out.tfrecord') == wanted and not s.uploads
        parts = s.seen('PUT')
        assert len(parts) >= 3 and s.most_busy > 1, s.requests
        assert all(p.headers.get('x-goog-hash' if s.google else 'x-amz-checksum-crc32c') for p in parts)
        assert len({p.parameters['partNumber'] for p in parts}) == len(parts), 'a part was sent twice'


@case
def the_size_of_parts_can_be_chosen(t):
    s = t.store()
    source = _input(t, 30 * MIB)
    t.good('cat', '--part-size', '6MiB', source, '-o', OUT)
    sizes = sorted(len(p.body) for p in s.seen('PUT'))
    assert sizes[1:] == [6 * MIB] * (len(sizes) - 1), sizes


@case
def nothing_is_overwritten_without_f(t):
    source = _input(t, 300000)
    for s, url in _both(t):
        s.put('train', 'out.tfrecord', b'precious')
        result = t.run('cat', source, '-o', url)
        assert result.status in (1, 2, 3) and 'overwrite' in result.err, result
        assert s.get('train', 'out.tfrecord') == b'precious'
        t.good('cat', '-f', source, '-o', url)
        assert s.get('train', 'out.tfrecord') != b'precious'


@case
def an_object_that_appears_meanwhile_is_kept(t):
    """The precondition is the server's: a look before the upload would not find it."""
    for size in (300000, 40 * MIB):
        source = _input(t, size)
        for s, url in _both(t):
            def appear(x):
                s.put('train', 'out.tfrecord', b'theirs')
                x.send(x.answer())
            last = s.inject(appear, when=lambda r: r.method == 'POST' and 'uploadId' in r.parameters or
                            r.method == 'PUT' and 'uploadId' not in r.parameters or
                            s.google and r.method == 'PUT' and r.parameters.get('partNumber') == '1')
            result = t.run('cat', source, '-o', url)
            assert last.count == 1 and result.status != 0 and 'overwrite' in result.err, result
            assert s.get('train', 'out.tfrecord') == b'theirs' and not s.uploads, s.requests


@case
def servers_without_conditional_writes(t):
    for size in (300000, 40 * MIB):
        source = _input(t, size)
        s = t.store(conditional=False)
        t.good('cat', source, '-o', OUT)
        assert s.get('train', 'out.tfrecord') == t.good('cat', source).out
        assert any(r.answered == 501 for r in s.requests) and s.seen('HEAD')
        s.put('train', 'out.tfrecord', b'precious')
        result = t.run('cat', source, '-o', OUT)
        assert result.status != 0 and s.get('train', 'out.tfrecord') == b'precious' and not s.uploads, result


@case
def faults_of_a_put_are_repeated(t):
    source = _input(t, 300000)
    wanted = t.good('cat', source).out
    for act in (faults.status(503, 'SlowDown'), faults.status(500, 'InternalError'), faults.reset(), faults.stall()):
        s = t.store()
        fault = s.inject(act, when=lambda r: r.method == 'PUT', times=2)
        t.good('cat', '--timeout', '6', source, '-o', OUT)
        assert fault.count == 2 and s.get('train', 'out.tfrecord') == wanted


@case
def a_put_whose_answer_is_lost(t):
    """The object is there, and the repetition is refused by If-None-Match: that is no failure."""
    source = _input(t, 300000)
    for s, url in _both(t):
        fault = s.inject(faults.lost(), when=lambda r: r.method == 'PUT')
        t.good('cat', source, '-o', url)
        assert fault.count == 1 and s.get('train', 'out.tfrecord') == t.good('cat', source).out


@case
def faults_of_parts_are_repeated(t):
    source = _input(t, 40 * MIB)
    wanted = t.good('cat', source).out
    for act in (faults.status(503, 'SlowDown'), faults.reset(), faults.lost(), faults.status(408, 'RequestTimeout')):
        s = t.store()
        fault = s.inject(act, when=lambda r: r.parameters.get('partNumber') == '2')
        t.good('cat', source, '-o', OUT)
        assert fault.count == 1 and s.get('train', 'out.tfrecord') == wanted and not s.uploads


@case
def a_completion_with_an_error_in_200(t):
    source = _input(t, 40 * MIB)
    text = '<?xml version="1.0"?><Error><Code>%s</Code><Message>We encountered an internal error.</Message><RequestId>R-7</RequestId></Error>'

    def is_completion(r):
        return r.method == 'POST' and 'uploadId' in r.parameters
    s = t.store()
    fault = s.inject(faults.body(text % 'InternalError'), when=is_completion)
    t.good('cat', source, '-o', OUT)
    assert fault.count == 1 and s.get('train', 'out.tfrecord') == t.good('cat', source).out
    s = t.store()
    fault = s.inject(faults.body(text % 'AccessDenied'), when=is_completion, times=None)
    t.fails(3, 'cat', source, '-o', OUT, says=['out.tfrecord', 'We encountered'], hint=False)
    assert fault.count and not s.objects and not s.uploads, s.requests


@case
def a_completion_whose_answer_is_lost(t):
    source = _input(t, 40 * MIB)
    for s, url in _both(t):
        fault = s.inject(faults.lost(), when=lambda r: r.method == 'POST' and 'uploadId' in r.parameters)
        t.good('cat', source, '-o', url)
        assert fault.count == 1 and s.get('train', 'out.tfrecord') == t.good('cat', source).out and not s.uploads


def _is_completion(request):
    return request.method == 'POST' and 'uploadId' in request.parameters


@case
def an_answer_that_is_cut_or_lost_is_asked_for(t):
    """The store has completed the object and the client cannot know, with ETags that are no MD5 and where it is not idempotent."""
    for size, when in ((300000, lambda r: r.method == 'PUT'), (40 * MIB, _is_completion)):
        source = _input(t, size)
        wanted = t.good('cat', source).out
        for google, url in ((False, OUT), (True, OUT.replace('s3:', 'gs:'))):
            for act in (faults.lost(), faults.cut(20)):
                for force in ([], ['-f']):
                    s = t.store(google=google, opaque=True)
                    fault = s.inject(act, when=when)
                    t.good('cat', *force, source, '-o', url)
                    assert fault.count == 1 and s.get('train', 'out.tfrecord') == wanted and not s.uploads, s.requests
        s = t.store()
        theirs = s.inject(lambda x: (s.put('train', 'out.tfrecord', wanted), faults.lost()(x)), when=when)
        result = t.run('cat', source, '-o', OUT)
        assert theirs.count == 1 and result.status == 2 and 'overwrite' in result.err and not s.uploads, (result, s.requests)


@case
def an_object_with_other_bytes_is_never_taken_for_ours(t):
    """A store that compares no CRC-32C has stored other bytes, with the mark of the upload, and refuses them with their MD5."""
    source = _input(t, 300000)
    s = t.store()

    def damage(x):
        s.put('train', 'out.tfrecord', b'other bytes', meta=store.metadata(x.request))
        x.send(store.Answer(200, {'ETag': s.objects['train', 'out.tfrecord'].etag}))
    damaged = s.inject(damage, when=lambda r: r.method == 'PUT' and 'Content-MD5' not in r.headers)
    refused = s.inject(faults.status(400, 'BadDigest', 'The MD5 did not match.'), when=lambda r: 'Content-MD5' in r.headers, times=None)
    result = t.run('cat', source, '-o', OUT)
    assert damaged.count == 1 and refused.count and result.status == 3 and 'BadDigest' in result.err, (result, s.requests)


@case
def servers_that_ignore_conditions(t):
    """They answer 200 and replace the object: the name is looked at before the first byte and before completion."""
    for size in (300000, 40 * MIB):
        source = _input(t, size)
        for appears in (0, 1):
            s = t.store(conditional=None, root='InitiateMultipartUpload')

            def appear(x):
                s.put('train', 'out.tfrecord', b'theirs')
                x.send(x.answer())
            seen = s.inject(appear, when=lambda r: r.method == 'HEAD' if not appears else r.parameters.get('partNumber') == '1')
            result = t.run('cat', source, '-o', OUT)
            if appears and size < MIB:
                assert result.status == 0 and not seen.count, result
                continue
            assert seen.count == 1 and result.status == 2 and 'overwrite' in result.err, result
            assert s.get('train', 'out.tfrecord') == b'theirs' and not s.uploads, s.requests
            assert appears or not s.seen('PUT') and not s.seen('POST'), s.requests


@case
def a_run_that_fails_removes_nothing(t):
    """Another process may have replaced what the run has written: it stays, the message says so, and -f completes the set."""
    for part in ([], ['--part', '0/1']):
        s = t.store()

        def replaced(x):
            _wait(lambda: ('train', 'x-00000-of-00004.tfrecord') in s.objects)
            s.put('train', 'x-00000-of-00004.tfrecord', b'theirs')
            faults.status(403, 'AccessDenied', 'no more')(x)
        fault = s.inject(replaced, when=lambda r: r.method == 'PUT' and ('00002' in r.path))
        result = t.fails(3, 'shard', *part, DATA + 'images', '-o', 's3://train/x@4.tfrecord', says=['no more', 'remain', '-f'])
        assert fault.count == 1 and not s.seen('DELETE'), s.requests
        assert s.get('train', 'x-00000-of-00004.tfrecord') == b'theirs', result
        t.good('shard', *part, *([] if part else ['-f']), DATA + 'images', '-o', 's3://train/x@4.tfrecord')
        if part:
            t.good('finish', 's3://train/x@4.tfrecord')
        t.good('check', '--manifest', 's3://train/x@4.tfrecord')


@case
def the_message_counts_what_remains(t):
    s = t.store()

    def last(x):
        _wait(lambda: ('train', 'x-00000-of-00002.tfrecord') in s.objects)
        faults.status(403, 'AccessDenied', 'no more')(x)
    fault = s.inject(last, when=lambda r: r.method == 'PUT' and '00001' in r.path)
    t.fails(3, 'cat', _input(t, 300000), '-o', 's3://train/x@2.tfrecord', says=r'\S\. 1 object is complete and remains\. Run the command again with -f')
    assert fault.count == 1


@case
def a_quota_that_is_full(t):
    """403 with these codes is no matter of permissions."""
    for code in ('QuotaExceeded', 'XMinioAdminBucketQuotaExceeded'):
        s = t.store()
        fault = s.inject(faults.status(403 if code[0] == 'Q' else 400, code), when=lambda r: r.method == 'PUT')
        result = t.fails(3, 'cat', _input(t, 300000), '-o', OUT, says=[code, 'hint: .*quota'])
        assert fault.count == 1 and '--anonymous' not in result.err, result


@case
def a_store_that_damages_parts(t):
    """A checksum or an ETag that is not that of the part: the object does not appear."""
    source = _input(t, 40 * MIB)
    s = t.store()
    fault = s.inject(faults.headers(x_amz_checksum_crc32c='AAAAAA=='), when=lambda r: 'partNumber' in r.parameters, times=None)
    result = t.run('cat', '--timeout', '4', source, '-o', OUT)
    assert fault.count and result.status == 3 and not s.objects and not s.uploads, result
    s = t.store()
    fault = s.inject(faults.headers(ETag='"00000000000000000000000000000000"'), when=lambda r: 'partNumber' in r.parameters, times=None)
    result = t.run('cat', '--timeout', '4', source, '-o', OUT)
    assert fault.count and result.status == 3 and not s.objects and not s.uploads, result


@case
def errors_abort_the_upload(t):
    source = _input(t, 40 * MIB)
    for s, url in _both(t):
        fault = s.inject(faults.status(403, 'AccessDenied', 'no parts for you'), when=lambda r: r.parameters.get('partNumber') == '2', times=None)
        t.fails(3, 'cat', source, '-o', url, says=[url, '403', 'no parts for you', 'REQ-FAULT'])
        assert fault.count == 1 and not s.objects and not s.uploads and s.seen('DELETE'), s.requests


@case
def errors_abort_all_uploads_at_once(t):
    """An error ends a run within a few seconds, however many uploads the server does not abort, and a message names those."""
    source = _input(t, 40 * MIB)
    names = ['x-0000%d-of-00006.tfrecord' % i for i in range(6)]
    for abort, least, most in (faults.stall(), 3, 14), (faults.status(403, 'AccessDenied'), 0, 8):
        s = t.store()
        s.inject(faults.stall(), when=lambda r: 'partNumber' in r.parameters, times=None)
        fault = s.inject(abort, when=lambda r: r.method == 'DELETE', times=None)
        result = t.fails(3, 'cat', '--timeout', '3', '--part-size', '5MiB', source, '-o', 's3://train/x@6.tfrecord', says='could not abort the uploads of')
        assert fault.count and least < result.seconds < most, result
        assert sorted(re.findall(r"'s3://train/(x-.*?)'", result.err.split('could not')[1])) == names and len(s.uploads) == 6, (result, s.uploads)


@case
def a_slow_abort_is_waited_for(t):
    source = _input(t, 20 * MIB)
    s = t.store()
    s.inject(faults.status(403, 'AccessDenied'), when=lambda r: 'partNumber' in r.parameters, times=None)
    slow = s.inject(faults.late(2), when=lambda r: r.method == 'DELETE', times=None)
    result = t.fails(3, 'cat', source, '-o', OUT)
    assert slow.count == 1 and not s.uploads and 'could not abort' not in result.err, (result, s.requests)


@case
def a_program_that_exits_waits_for_aborts(t):
    """They are under way when an exception has left the writer."""
    program = ('''
import sys, tfrkit
with tfrkit.Writer(sys.argv[1]) as writer:
    for _ in range(1200):
        writer.write(bytes(20000))
    raise KeyError('mine')
''')

    def python(*arguments):
        path = os.path.dirname(os.path.dirname(t.tfr)) + '/python'
        return subprocess.run([sys.executable, *arguments], env={**t.environment, 'HOME': t.folder, 'PYTHONPATH': path}, capture_output=True)
    if python('-c', 'import tfrkit').returncode:
        raise Unavailable('the Python module is not built')
    s = t.store()
    slow = s.inject(faults.late(1), when=lambda r: r.method == 'DELETE', times=None)
    result = python('-c', program, OUT)
    assert b"KeyError: 'mine'" in result.stderr and slow.count == 1 and not s.uploads, (result, s.requests)


@case
def a_signal_after_an_error_names_what_remains(t):
    source = _input(t, 20 * MIB)
    s = t.store()
    s.inject(faults.status(403, 'AccessDenied'), when=lambda r: 'partNumber' in r.parameters, times=None)
    fault = s.inject(faults.stall(), when=lambda r: r.method == 'DELETE', times=None)
    child = t.start('cat', source, '-o', OUT)
    _wait(lambda: fault.count)
    child.send_signal(signal.SIGTERM)
    _, err = child.communicate(timeout=20)
    assert child.returncode == -signal.SIGTERM and b"could not abort the uploads of '%s'" % OUT.encode() in err, err


@case
def signals_abort_the_upload(t):
    source = _input(t, 60 * MIB)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_IGN:  # under nohup, tfr ignores it too
            continue
        s = t.store()
        s.inject(faults.stall(), when=lambda r: r.parameters.get('partNumber') == '2', times=None)
        child = t.start('cat', source, '-o', OUT)
        _wait(lambda: len(s.seen('PUT')) >= 2)
        child.send_signal(number)
        _, err = child.communicate(timeout=20)
        assert child.returncode != 0 and SECRET.encode() not in err
        assert not s.objects and not s.uploads, 'signal %d: %r' % (number, s.requests)


@case
def a_server_that_takes_all_and_never_answers(t):
    """What was sent is no answer: --timeout counts over all attempts, of which each takes a third of it, whether one PUT or parts."""
    for size, when in ((3 * MIB, lambda r: r.method == 'PUT'), (8 * MIB, lambda r: r.parameters.get('partNumber') == '1'),
                       (8 * MIB, _is_completion)):
        s = t.store()
        fault = s.inject(faults.stall(), when=when, times=None)
        t.fails(3, 'cat', '--timeout', '6', '--part-size', '5MiB', _input(t, size), '-o', OUT, says=[OUT, 'hint: .*may still carry out'])
        assert 1 <= fault.count <= 4 and not s.objects and not s.uploads, s.requests


@case
def signals_end_a_run_while_it_publishes(t):
    """Whatever a server is waited for: the old object stays, and uploads are aborted, or named if the server does not do it."""
    small = t.path('small.tfrecord')
    os.rename(_input(t, MIB), small)
    source = _input(t, 30 * MIB)
    for file, when, what in ((small, lambda r: r.method == 'PUT', []), (source, _is_completion, []),
                             (source, lambda r: _is_completion(r) or r.method == 'DELETE', [OUT])):
        s = t.store()
        s.put('train', 'out.tfrecord', b'old')
        fault = s.inject(faults.stall(), when=when, times=None)
        child = t.start('cat', '-f', file, '-o', OUT)
        _wait(lambda: fault.count)
        child.send_signal(signal.SIGTERM)
        _, err = child.communicate(timeout=20)
        assert child.returncode == -signal.SIGTERM and s.get('train', 'out.tfrecord') == b'old', err
        assert all(name.encode() in err for name in what) and bool(s.uploads) == bool(what), (err, s.requests)


@case
def killed_at_any_moment(t):
    """kill -9 leaves no object that is not complete, whatever request was the last."""
    source = _input(t, 40 * MIB)
    wanted = t.good('cat', source).out
    for stop in range(1, 7):
        s = t.store()
        child = t.start('cat', source, '-o', OUT)
        _wait(lambda: len(s.requests) >= stop or child.poll() is not None)
        child.kill()
        child.communicate()
        time.sleep(.05)
        assert s.get('train', 'out.tfrecord') in (None, wanted)


@case
def a_closed_pipe_aborts_the_upload(t):
    """An input that ends in the middle of a record."""
    s = t.store()
    child = t.start('cat', '-', '-o', OUT, stdin=subprocess.PIPE)
    child.stdin.write(records(3000, 20000)[:-10])
    child.stdin.close()
    err = child.stderr.read()
    child.wait(20)
    assert child.returncode == 1 and not s.objects and not s.uploads, (err, s.requests)


@case
def a_set_ends_with_its_manifest(t):
    """What a reader sees before the manifest is a set without one; no member is written after it."""
    s = t.store()
    t.good('shard', DATA + 'images', '-o', 's3://train/x@4.tfrecord')
    last = s.seen('PUT')[-1]
    assert 'manifest' in last.path, s.seen('PUT')
    t.good('check', '--manifest', 's3://train/x@4.tfrecord')
    t.good('shard', DATA + 'images', '-o', t.path('x@4.tfrecord'))
    for i in range(4):
        name = 'x-%05d-of-00004.tfrecord' % i
        with open(t.path(name), 'rb') as f:
            assert s.get('train', name) == f.read(), name


@case
def a_set_that_is_killed_has_no_manifest(t):
    s = t.store()
    s.inject(faults.stall(), when=lambda r: r.method == 'PUT' and '00002' in r.path, times=None)
    child = t.start('shard', DATA + 'images', '-o', 's3://train/x@4.tfrecord')
    _wait(lambda: any('00002' in r.path for r in s.seen('PUT')))
    child.kill()
    child.communicate()
    assert not any('manifest' in k for k in s.keys_of('train')), s.keys_of('train')


@case
def memory_of_an_upload_is_bounded(t):
    s = t.store(keep=False)
    source = t.path('big.tfrecord')
    piece = records(1600, 60000)
    with open(source, 'wb') as out:
        for _ in range(6):
            out.write(piece)
    result = t.good('cat', source, '-o', OUT, limit=120)
    assert result.peak <= 128 * MIB, result
    assert sum(len(p.body) for p in s.seen('PUT')) == os.path.getsize(source)
    # 8 objects with parts of 16 MiB: most of them are collected in files
    result = t.good('shuffle-to-disk', '-m', '64M', source, '-o', 's3://train/x@8.tfrecord', limit=120)
    assert result.peak <= 128 * MIB, result


@case
def moto_takes_uploads(t):
    m = t.moto()
    client = m.client()
    client.create_bucket(Bucket='writing')
    source = _input(t, 40 * MIB)
    for size, name in ((300000, 'small'), (40 * MIB, 'large')):
        source = _input(t, size)
        t.good('cat', source, '-o', 's3://writing/' + name)
        assert client.get_object(Bucket='writing', Key=name)['Body'].read() == t.good('cat', source).out
        result = t.run('cat', source, '-o', 's3://writing/' + name)
        assert result.status != 0 and 'overwrite' in result.err, result
    assert not client.list_multipart_uploads(Bucket='writing').get('Uploads')


@case
def a_run_that_writes_objects_is_not_resumed(t):
    """An upload ends with its process: --resume is refused before anything is sent, and a signal leaves no upload."""
    s = t.store()
    source = _input(t, 60 * MIB)
    local = t.path('x@2.tfrecord')
    for options in (['-o', 's3://train/x@2.tfrecord'], ['-o', local, '-o', 's3://train/v.tfrecord=0.1'],
                    ['-o', local, '--on-error', 'quarantine=s3://train/q'], ['-o', local, '--report', 's3://train/r.tsv']):
        t.fails(2, 'shard', '--resume', DATA + 'images', *options, says='cannot be resumed')
    assert not s.requests and not os.path.exists(local), s.requests
    s.inject(faults.stall(), when=lambda r: r.method == 'PUT', times=None)
    child = t.start('shard', '--checkpoint', '0.02', '--part-size', '5MiB', source, '-o', 's3://train/x.tfrecord')
    _wait(lambda: s.uploads and s.seen('PUT'))
    child.send_signal(signal.SIGTERM)
    child.communicate(timeout=20)
    assert not s.uploads and not [name for name in os.listdir(t.folder) if name.endswith('.resume')], s.uploads


@case
def writers_who_may_not_list(t):
    """Without the right to list, S3 says 403 of a missing name: the conditions on PUT and on completion protect what is there."""
    s = t.store()
    denied = s.inject(faults.status(403, 'AccessDenied', 'Access Denied'),
                      when=lambda r: 'list-type' in r.parameters or 'uploads' in r.parameters and r.method == 'GET' or
                      r.method in ('GET', 'HEAD') and ('train', r.path[len('/train/'):]) not in s.objects, times=None)
    source = _input(t, 30 * MIB)
    for target, names in (('s3://train/one.tfrecord', 1), ('s3://train/x@2.tfrecord', 2)):
        for options in ([], ['-f']):
            t.good('shuffle-to-disk', *options, source, '-o', target)
        t.fails(2, 'shuffle-to-disk', source, '-o', target, says='will not overwrite')
        t.good('check', target)
    t.good('cat', DATA + 'images.tfrecord', '-o', 's3://train/small.tfrecord')
    t.fails(2, 'cat', DATA + 'images.tfrecord', '-o', 's3://train/small.tfrecord', says='will not overwrite')
    t.good('shard', DATA + 'images', '-o', 's3://train/y@2.tfrecord')
    t.fails(2, 'shard', DATA + 'images', '-o', 's3://train/y@2.tfrecord', says='will not overwrite')
    t.fails(2, 'shard', DATA + 'images.tfrecord', '-o', 's3://train/z@auto.tfrecord', says='number of shards must be known')
    assert denied.count and not s.uploads


@case
def commands_that_abort_uploads_name_the_endpoint(t):
    """Other tools do not know all the places where tfr looks for it."""
    for google, style in (False, 'path'), (False, 'virtual'), (True, 'path'):
        s = t.store(google=google)
        scheme = 'gs' if google else 's3'
        url = s.url.replace('127.0.0.1', 'localhost') if style == 'virtual' else s.url
        s.put('train', 'd/y.tfrecord', records(3, 100))
        s.uploads['ID-1'] = store.Upload('train', 'd/x.tfrecord', None, {})
        write(t.path('config'), ('[default]\nendpoint_url = %s\ns3 =\n  addressing_style = %s\n' % (url, style)).encode())
        result = t.run('doctor', scheme + '://train/d/', env={'AWS_CONFIG_FILE': t.path('config'), 'AWS_ENDPOINT_URL': None})
        fix = 'aws s3api abort-multipart-upload --endpoint-url %s --bucket train --key d/x.tfrecord --upload-id ID-1' % url
        assert fix in ' '.join(result.out.decode().split()), result
