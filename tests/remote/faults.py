"""Faults of servers and connections while an object is read: what is repeated, what is an error, and its words.

Each case proves that its fault happened: a fault counts."""
import os
import signal
import time

from harness import DATA, case, large, read, records, write
from servers import faults

URL = 's3://train/x.tfrecord'
NAME = '/train/x.tfrecord'


def _object(t, size=12 << 20, **options):
    """A store with one object, and what cat of it must print."""
    s = t.store(**options)
    data = records(size // 20000, 20000)
    s.put('train', 'x.tfrecord', data)
    return s, data


def _is_get(request):
    return request.method == 'GET' and request.path == NAME


def _same(t, data, *options, **more):
    assert t.good('cat', *options, URL, **more).out == data


@case
def statuses_that_pass_are_repeated(t):
    s, data = _object(t)
    for code in (408, 429, 500, 502, 503, 504):
        fault = s.inject(faults.status(code, 'SlowDown'), when=_is_get, times=2)
        _same(t, data)
        assert fault.count == 2, code


@case
def statuses_that_stay_are_errors_at_once(t):
    s, _ = _object(t)
    for code, error in ((400, 'InvalidRequest'), (401, 'AccessDenied'), (403, 'AccessDenied'), (405, 'MethodNotAllowed'),
                        (409, 'Conflict'), (410, 'Gone'), (451, 'Legal'), (501, 'NotImplemented')):
        fault = s.inject(faults.status(code, error, 'the words of the server'), when=_is_get, times=None)
        result = t.fails(3, 'check', URL, says=[URL, str(code), 'the words of the server', 'REQ-FAULT'], hint=code in (401, 403))
        assert fault.count == 1, '%d is repeated: %r' % (code, s.requests)
        assert result.seconds < 5, result
        s.faults.clear()


@case
def a_missing_object(t):
    t.store()
    t.fails(3, 'check', 's3://train/none.tfrecord', says='none.tfrecord', hint=False)
    t.fails(3, 'cat', 's3://train/none@4.tfrecord', says='none', hint=False)


@case
def a_server_that_always_fails(t):
    s, _ = _object(t)
    fault = s.inject(faults.status(503, 'SlowDown', 'Please reduce your request rate.'), when=_is_get, times=None)
    result = t.fails(3, 'check', '--timeout', '3', URL, says=[URL, '503', 'Please reduce', 'REQ-FAULT'])
    assert fault.count >= 3 and 1 < result.seconds < 12, result


@case
def retry_after_is_obeyed(t):
    s, data = _object(t, size=200000)
    fault = s.inject(faults.status(503, 'SlowDown', headers={'Retry-After': '2'}), when=_is_get)
    _same(t, data)
    gets = [r for r in s.requests if _is_get(r)]
    assert fault.count == 1 and 1.9 < gets[1].time - gets[0].time < 5, gets


@case
def a_connection_that_is_cut_is_continued(t):
    """At the first byte, in the middle and before the last one; what was received is not requested again."""
    for size, at in ((200000, 0), (200000, 1), (200000, 100000), (200000, 199999), (12 << 20, 5 << 20)):
        s, data = _object(t, size)
        fault = s.inject(faults.cut(at), when=lambda r, at=at: _is_get(r) and (at < 1 << 20 or r.range()[0] > 0))
        _same(t, data)
        assert fault.count == 1
        gets = [r for r in s.requests if _is_get(r)]
        assert sum(r.sent for r in gets) <= len(data), 'bytes came twice: %r' % gets
        assert all(r.headers.get('If-Match') for r in gets[1:] if r.range()[0]), [r.headers.items() for r in gets]


@case
def a_body_cut_at_every_byte(t):
    s = t.store()
    wanted = records(3, 30)
    s.put('train', 'x.tfrecord', wanted)
    for at in range(0, len(wanted), 3):
        fault = s.inject(faults.cut(at), when=_is_get)
        _same(t, wanted)
        assert fault.count == 1, at


@case
def resets_and_stalls(t):
    s, data = _object(t)
    for act in (faults.reset(), faults.reset(1000), faults.reset(1 << 17), faults.stall(), faults.stall(1000)):
        fault = s.inject(act, when=_is_get)
        _same(t, data, '--timeout', '2')
        assert fault.count == 1


@case
def a_server_that_stalls_for_ever(t):
    s, _ = _object(t)
    for act in (faults.stall(), faults.stall(1000)):
        fault = s.inject(act, when=_is_get, times=None)
        result = t.fails(3, 'check', '--timeout', '2', URL, says=URL)
        assert fault.count and result.seconds < 15, result
        s.faults.clear()


@case
def nothing_listens(t):
    result = t.fails(3, 'check', '--timeout', '2', 'http://127.0.0.1:9/x', says='127.0.0.1:9')
    assert result.seconds < 12, result
    t.fails(3, 'check', '--timeout', '2', 'http://no-such-host.invalid/x', says='no-such-host.invalid')


@case
def a_server_that_restarts(t):
    """Refused connections are repeated once the server has answered; before that, they are a misspelt address."""
    s, data = _object(t, 40 << 20)
    fault = s.inject(faults.restart(3), when=lambda r: _is_get(r) and (r.range() or (0,))[0] > 0)
    _same(t, data)
    assert fault.count == 1
    s = t.store()
    source = write(t.path('in.tfrecord'), data)
    fault = s.inject(faults.restart(3), when=lambda r: r.parameters.get('partNumber') == '2')
    t.good('cat', source, '-o', 's3://train/out.tfrecord')
    assert fault.count == 1 and s.get('train', 'out.tfrecord') == data and not s.uploads
    s.restart(60)
    result = t.fails(3, 'check', URL, says=URL)
    assert result.seconds < 20, result


@case
def a_server_that_goes_away_ends_the_run(t):
    """After the time-out, and what comes after that does not wait for another."""
    s, data = _object(t, 40 << 20)
    fault = s.inject(faults.restart(1000), when=lambda r: _is_get(r) and (r.range() or (0,))[0] > 0)
    t.fails(3, 'cat', '--timeout', '3', URL, says=URL)
    assert fault.count == 1


@case
def slow_bytes_are_no_stall(t):
    s, data = _object(t, 300000)
    fault = s.inject(faults.slow(60000, .6), when=_is_get)
    _same(t, data, '--timeout', '2')
    assert fault.count == 1


@case
def wrong_ranges_are_errors(t):
    """Bytes of another place are never delivered."""
    s, data = _object(t)
    for act in (faults.headers(Content_Range='bytes 1-%d/%d' % (1 << 18, len(data))), faults.headers(Content_Range=None),
                faults.headers(Content_Range='bytes 0-262143/%d' % (len(data) + 1)), faults.headers(Content_Range='bytes x-y/z'),
                faults.headers(Content_Range='bytes 0-262143/18446744073709551616'),
                faults.headers(Content_Range='bytes 262143-0/%d' % len(data))):
        fault = s.inject(act, when=_is_get, times=None)
        result = t.run('cat', '--timeout', '3', URL)
        assert result.status == 3 and URL in result.err and result.out == data[:len(result.out)], result
        assert fault.count
        s.faults.clear()


@case
def range_ignored_in_the_middle(t):
    """200 with the whole object in place of a later range: either its right part is used, or it is an error."""
    s, data = _object(t, 24 << 20)
    fault = s.inject(faults.ignore_range(), when=lambda r: _is_get(r) and (r.range() or (0,))[0] > 0)
    result = t.run('cat', URL)
    assert fault.count == 1 and (result.out == data if result.status == 0 else result.status == 3 and data.startswith(result.out)), result


@case
def wrong_lengths(t):
    s, data = _object(t, 300000)
    for claimed in (1 << 63, 1 << 64, -1, 'x', 100):
        fault = s.inject(faults.length(claimed), when=_is_get, times=None)
        result = t.run('cat', '--timeout', '2', URL)
        assert result.status == 3 and URL in result.err and data.startswith(result.out), '%s: %r' % (claimed, result)
        assert fault.count and result.peak < 128 << 20
        s.faults.clear()


@case
def an_object_that_is_replaced(t):
    """If-Match makes the mixture an error that says what happened."""
    s, data = _object(t, 40 << 20)
    other = records(len(data) // 20016, 20000, seed=2)
    fault = s.inject(faults.before(lambda: s.put('train', 'x.tfrecord', other)), when=lambda r: _is_get(r) and r.range()[0] > 0)
    result = t.fails(3, 'cat', URL, says=[URL, 'replaced|changed'], hint=False)
    assert fault.count == 1 and data.startswith(result.out)


@case
def a_replacement_without_if_match(t):
    """A server that ignores If-Match: the ETag of each answer is compared."""
    s, data = _object(t, 40 << 20)
    fault = s.inject(faults.headers(ETag='"another"'), when=lambda r: _is_get(r) and r.range()[0] > 0, times=None)
    result = t.fails(3, 'cat', URL, says=[URL, 'replaced|changed'], hint=False)
    assert fault.count and data.startswith(result.out)


@case
def an_empty_object(t):
    s = t.store(signed=False)
    s.put('train', 'x.tfrecord', b'')
    for url in (URL, s.url + NAME):
        assert t.good('count', url).out.split()[0] == b'0'
    assert any(r.answered == 416 for r in s.requests) or not s.seen('GET', NAME), s.requests


@case
def a_range_that_never_fits(t):
    """416 to the first read says how long the object is: it is not empty."""
    s, data = _object(t, 300000)
    web = t.server(type(s)())
    web.put('train', 'x.tfrecord', data)
    for server, url in ((s, URL), (web, web.url + NAME)):
        fault = server.inject(faults.status(416, 'InvalidRange', headers={'Content-Range': 'bytes */%d' % len(data)}), when=_is_get, times=None)
        t.fails(3, 'count', url, says=[url, '416'], hint=False)
        assert fault.count
        server.faults.clear()
        # without a length, the object is asked for without a range
        fault = server.inject(faults.status(416, 'InvalidRange'), when=lambda r: _is_get(r) and r.range(), times=None)
        assert t.good('cat', url).out == data
        assert fault.count == 1
        server.faults.clear()


@case
def an_object_that_becomes_empty(t):
    """In the middle of a range."""
    s, data = _object(t, 300000, if_match=False)
    for then in (lambda x: faults.status(416, 'InvalidRange', headers={'Content-Range': 'bytes */0'})(x),
                 faults.before(lambda: s.put('train', 'x.tfrecord', b''))):
        s.put('train', 'x.tfrecord', data)
        first, second = s.inject(faults.cut(100000), when=_is_get), s.inject(then, when=_is_get)
        result = t.fails(3, 'cat', URL, says=[URL, 'replaced'], hint=False)
        assert first.count and second.count and data.startswith(result.out)
        s.faults.clear()


@case
def statuses_that_are_no_object(t):
    """204 and 202 have no object, whatever their bodies are."""
    s, data = _object(t, 300000)
    web = t.server(type(s)())
    web.put('train', 'x.tfrecord', data)
    for server, url in ((s, URL), (web, web.url + NAME)):
        for code in (201, 202, 203, 204):
            fault = server.inject(faults.status(code, body=b''), times=None)
            t.fails(3, 'count', '--timeout', '3', url, says=[url, str(code)], hint=False)
            assert fault.count
            server.faults.clear()


@case
def a_body_that_only_the_connection_ends(t):
    """A store says how long an object is: an answer that may be cut is no answer."""
    s = t.store()
    image = read(DATA + 'images/jpeg/444.jpg') + b'A' * 200000
    s.put('train', 'photos/a/x.jpg', image)
    fault = s.inject(faults.unbounded(100000), when=lambda r: r.method == 'GET' and r.path.endswith('x.jpg'), times=None)
    t.fails(3, 'shard', '--timeout', '3', 's3://train/photos/', '-o', t.path('x@1'), says='x.jpg', hint=False)
    assert fault.count


@case
def a_continued_object_of_unknown_length(t):
    """The rest of a chunked body, and the same object in place of the rest: nothing is missing and nothing twice."""
    s, data = _object(t, 3 << 20)
    web = t.server(type(s)())
    web.put('train', 'x.tfrecord', data)
    other = records(len(data) // 20016, 20000, seed=2)

    def whole(act):
        def without_range(x):
            del x.request.headers['Range']
            act(x)
        return without_range
    for first in (faults.cut(200000), whole(faults.chunked(1 << 20)), whole(faults.cut(1 << 20))):
        for second in (None, faults.ignore_range(), whole(faults.chunked()), faults.another_status(200), faults.headers(Content_Range=None)):
            for replaced in (False, True):
                web.put('train', 'x.tfrecord', data)
                web.inject(first, when=_is_get)
                if replaced:
                    web.inject(faults.before(lambda: web.put('train', 'x.tfrecord', other)), when=_is_get)
                elif second:
                    web.inject(second, when=_is_get)
                result = t.run('cat', '--timeout', '4', web.url + NAME)
                assert result.out == data if result.status == 0 else result.status == 3 and data.startswith(result.out), result
                assert all(f.count for f in web.faults), web.faults
                web.faults.clear()


@case
def an_image_replaced_while_it_is_fetched(t):
    """A body that breaks is fetched again from its start: it is the old object or the new one."""
    s = t.store(if_match=False)
    image = read(DATA + 'images/jpeg/444.jpg')
    old, new = image + b'A' * 200000, image + b'B' * 200000

    def replace():
        s.put('train', 'photos/a/x.jpg', new)
    for act in (faults.cut(100000, replace), faults.chunked(100000, replace)):
        s.put('train', 'photos/a/x.jpg', old)
        fault = s.inject(act, when=lambda r: r.method == 'GET' and r.path.endswith('x.jpg') and not r.range(), skip=1)
        t.good('shard', '-f', 's3://train/photos/', '-o', t.path('x@1'))
        stored = read(t.path('x-00000-of-00001'))
        assert fault.count == 1 and old not in stored and new in stored, len(stored)


@case
def a_listing_that_breaks(t):
    """A page that breaks is listed again from its start: no object twice, none missing."""
    s = t.store()
    for i in range(40):
        s.put('train', 'd/x%03d.tfrecord' % i, records(1, 100, seed=i))
    for removed in (5, 30):
        for at in (1200, 3000):
            change = lambda: s.objects.pop(('train', 'd/x%03d.tfrecord' % removed))
            fault = s.inject(faults.cut(at, change), when=lambda r: 'delimiter' in r.parameters)
            out = t.good('count', 's3://train/d/*.tfrecord').out
            assert fault.count == 1
            assert sum(map(int, out.split())) == 39, out
            s.put('train', 'd/x%03d.tfrecord' % removed, records(1, 100, seed=removed))


@case
def tls_where_there_is_none(t):
    n = t.nginx(t.path('root'))
    url = n.url.replace('http:', 'https:')
    t.fails(3, 'check', '--timeout', '10', url + NAME, says=[url, 'may not speak TLS', 'http://'])
    t.fails(3, 'check', '--timeout', '10', URL, env={'AWS_ENDPOINT_URL': url}, says=[URL, 'may not speak TLS', 'http://'])


@case
def content_encodings(t):
    """A web server's is decoded or refused; a bucket's is a note on the object, whose bytes stay as they are stored."""
    s, data = _object(t, 300000)
    fault = s.inject(faults.headers(Content_Encoding='gzip'), when=_is_get, times=None)
    _same(t, data)
    web = t.server(type(s)())
    web.put('train', 'x.tfrecord', data)
    another = web.inject(faults.gzipped(), times=None)
    result = t.run('cat', '--timeout', '3', web.url + NAME)
    assert fault.count and another.count
    assert result.out == data if result.status == 0 else result.status == 3 and 'Content-' in result.err, result


@case
def another_region_is_found(t):
    s, data = _object(t, 300000, region='eu-central-1')
    _same(t, data)
    refused = [r for r in s.requests if r.answered == 400]
    assert len(refused) == 1 and '/us-east-1/' in refused[0].headers['Authorization'], s.requests
    fault = s.inject(faults.status(301, 'PermanentRedirect', headers={'x-amz-bucket-region': 'eu-central-1'}))
    _same(t, data)
    assert fault.count == 1


@case
def a_region_that_never_fits(t):
    s, _ = _object(t, 300000)
    fault = s.inject(faults.status(301, 'PermanentRedirect', 'Use another endpoint.', headers={'x-amz-bucket-region': 'eu-west-1'}),
                     when=_is_get, times=None)
    t.fails(3, 'check', URL, says=[URL, '301', 'Use another endpoint'], hint=False)
    assert 1 <= fault.count <= 3, s.requests


@case
def redirects_of_web_servers(t):
    """To another host the password is not sent; loops end."""
    write(t.path('.netrc'), b'machine localhost login alice password open%20sesame\n')
    here, there = t.store(signed=False), t.store(signed=False)
    data = records(20, 20000)
    there.put('train', 'x.tfrecord', data)
    fault = here.inject(faults.redirect(there.url + '{}'), times=None)
    url = here.url.replace('127.0.0.1', 'localhost') + NAME
    assert t.good('cat', url).out == data
    assert fault.count and there.requests and all('Authorization' in r.headers for r in here.requests)
    assert not any('Authorization' in r.headers or 'Cookie' in r.headers for r in there.requests), there.requests
    loop = t.store(signed=False)
    fault = loop.inject(faults.redirect(loop.url + '{}'), times=None)
    result = t.fails(3, 'check', '--timeout', '5', loop.url + NAME, says='redirect', hint=False)
    assert 1 < fault.count < 100 and result.seconds < 20, result
    fault = here.inject(faults.redirect('file:///etc/passwd'), times=None)
    here.faults.remove(here.faults[0])
    result = t.fails(3, 'check', '--timeout', '5', here.url + NAME, says=here.url, hint=False)
    assert fault.count


@case
def redirects_of_stores_are_errors(t):
    """A signature is for one host: nothing is sent to another."""
    s, _ = _object(t, 300000)
    other = t.server(type(s)())
    fault = s.inject(faults.redirect(other.url + '{}', 307), times=None)
    t.fails(3, 'check', URL, says=[URL, '307'], hint=False)
    assert fault.count and not other.requests, other.requests


@case
def expired_credentials_are_renewed_once(t):
    s, data = _object(t, 300000)
    script = t.path('credentials')
    write(script, b'#!/bin/sh\nprintf x >> %s.runs\necho \'{"Version": 1, "AccessKeyId": "AKIDEXAMPLE", "SecretAccessKey": '
          b'"wJalrXUtnFEMI-K7MDENG+bPxRfiCYEXAMPLEKEY", "Expiration": "2999-01-01T00:00:00Z"}\'\n' % script.encode())
    os.chmod(script, 0o755)
    write(t.path('config'), b'[default]\ncredential_process = %s\n' % script.encode())
    env = {'AWS_CONFIG_FILE': t.path('config'), 'AWS_ACCESS_KEY_ID': None, 'AWS_SECRET_ACCESS_KEY': None}
    def expire(x):
        time.sleep(1.1)  # keys of the same second are not fetched again
        faults.status(400, 'ExpiredToken', 'The provided token has expired.')(x)
    fault = s.inject(expire, when=_is_get)
    _same(t, data, env=env)
    assert fault.count == 1 and len(read(script + '.runs')) == 2, (fault.count, read(script + '.runs'), s.requests)
    fault = s.inject(faults.status(400, 'ExpiredToken', 'The provided token has expired.'), times=None)
    t.fails(3, 'check', URL, env=env, says=['ExpiredToken|token has expired'])
    assert 1 <= fault.count <= 4, fault.count


@case
def damaged_data_is_status_1(t):
    """What the server delivers and the CRC refuses is a fault of the data, not of the network."""
    s = t.store()
    data = bytearray(records(100, 3000))
    data[1500] ^= 1
    s.put('train', 'x.tfrecord', bytes(data))
    assert b'data checksum mismatch' in t.fails(1, 'check', URL, hint=False).out
    s.put('train', 'x.tfrecord', records(100, 3000)[:-7])
    assert URL.encode() in t.fails(1, 'check', URL, hint=False).out


@case
def interrupted_by_a_signal(t):
    s = t.store()
    s.put('train', 'x.tfrecord', large(4 << 30))
    child = t.start('check', URL)
    while not s.seen('GET'):
        time.sleep(.01)
    child.terminate()
    child.communicate(timeout=10)
    assert child.returncode != 0
    # These end by themselves at the first signal: neither the first answer nor a later one is waited for
    s.put('train', 'x.tfrecord', read(os.path.join(DATA, 'images.tfrecord')) * 2000)
    for line in (['export', '-o', t.path('images')], ['export', '-o', t.path('x.jsonl')],
                 ['bench-feed', '--seconds', '60', '--epochs', '99', '--batch', '4', '--size', '16']):
        for late in (False, True):
            fault = s.inject(faults.stall(), when=lambda r: _is_get(r) and late <= ('=0-' not in r.headers['Range']), times=None)
            child = t.start(*line, URL)
            while not fault.count and child.poll() is None:
                time.sleep(.01)
            began = time.monotonic()
            child.terminate()
            err = child.communicate(timeout=60)[1]
            assert child.returncode == -signal.SIGTERM and time.monotonic() - began < 4, (line, late, time.monotonic() - began, err)
            assert b'cannot' not in err and b'interrupted' not in err and os.listdir(t.folder) == [], (line, err, os.listdir(t.folder))
            s.faults.clear()
