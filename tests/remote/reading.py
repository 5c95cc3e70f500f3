"""Reading objects: the same bytes as from a file, and the requests that get them."""
import base64
import os
import time

from harness import DATA, MIB, case, check_ranges, large, read, records, write
from servers import faults


@case
def each_scheme_gives_the_bytes_of_the_file(t):
    s, g = t.store(), t.store(google=True)
    web = t.store(signed=False)
    t.environment['AWS_ENDPOINT_URL'] = s.url
    for name in ('images.tfrecord', 'kinds-gzip.tfrecord', 'kinds-zlib.tfrecord', 'empty.tfrecord', 'sequence.tfrecord'):
        for server in (s, g, web):
            server.put('train', 'a/' + name, read(DATA + name))
        wanted = t.good('cat', '--allow-empty', DATA + name).out
        for url in ('s3://train/a/', 'gs://train/a/', web.url + '/train/a/'):
            assert t.good('cat', '--allow-empty', url + name).out == wanted, url + name
            assert t.good('count', '--sum', url + name).out.split()[:2] == t.good('count', '--sum', DATA + name).out.split()[:2], name
            t.good('check', url + name)
    assert all(r.headers.get('Authorization', '').startswith('AWS4') for r in s.requests)
    assert all(r.headers.get('Authorization', '').startswith('GOOG4') for r in g.requests)
    assert web.requests and not any('Authorization' in r.headers for r in web.requests)


@case
def ranges_of_8_to_16_mib_bound_to_the_etag(t):
    s = t.store()
    data = records(3000, 20000)
    s.put('train', 'x.tfrecord', data)
    write(t.path('x.tfrecord'), data)
    assert t.good('cat', 's3://train/x.tfrecord').out == t.good('cat', t.path('x.tfrecord')).out
    gets = [r for r in s.seen('GET') if r.path.endswith('/x.tfrecord')]
    assert len(gets) > 4 and s.most_busy > 1, 'one request at a time'
    check_ranges(gets, len(data))
    assert len(s.requests) <= len(gets) + 5, s.requests


@case
def a_small_object_is_one_or_two_requests(t):
    s = t.store()
    s.put('train', 'x.tfrecord', read(DATA + 'images.tfrecord'))
    t.good('check', 's3://train/x.tfrecord')
    assert len(s.requests) <= 2, s.requests


@case
def connections_are_capped(t):
    s = t.store()
    s.put('train', 'x.tfrecord', records(4000, 20000))
    t.good('cat', '--connections', '2', 's3://train/x.tfrecord', stdout=open(os.devnull, 'w'))
    assert 1 <= s.most_busy <= 2, s.most_busy
    assert len({r.connection for r in s.requests}) <= 2


@case
def memory_is_bounded(t):
    s = t.store()
    data = large(3 << 30)
    s.put('train', 'x.tfrecord', data)
    for command in ('check', 'cat'):
        result = t.good(command, 's3://train/x.tfrecord', stdout=open(os.devnull, 'w'), limit=120)
        assert result.peak <= 128 * MIB, '%s: %r' % (command, result)
        assert sum(r.sent for r in s.requests) >= len(data)
        s.requests.clear()


@case
def a_part_of_an_object_of_20_gb(t):
    s = t.store()
    s.put('train', 'x.tfrecord', large(20 << 30))
    result = t.good('cat', '--limit', '5', 's3://train/x.tfrecord')
    assert result.peak <= 128 * MIB, result
    assert sum(r.sent for r in s.requests) < 600 * MIB, sum(r.sent for r in s.requests)


@case
def many_objects_as_a_set(t):
    s = t.store()
    for i in range(8):
        data = records(50, 3000, seed=i)
        s.put('train', 'd/x-%05d-of-00008' % i, data)
        write(t.path('d/x-%05d-of-00008' % i), data)
    assert t.good('cat', 's3://train/d/x@8').out == t.good('cat', t.path('d/x@8')).out
    assert t.good('count', '--sum', 's3://train/d/x@*').out.split()[:2] == t.good('count', '--sum', t.path('d/x@*')).out.split()[:2]


@case
def nginx_serves_ranges_tls_and_passwords(t):
    root = t.path('root')
    data = records(1500, 20000)
    write(root + '/x.tfrecord', data)
    n = t.nginx(root)
    os.chmod(t.folder, 0o755)
    wanted = t.good('cat', root + '/x.tfrecord').out
    assert t.good('cat', n.url + '/x.tfrecord').out == wanted
    assert sum(' 206 ' in line for line in n.lines()) > 2, n.lines()
    # TLS is verified: without the CA of the test it fails, and that is said
    t.fails(3, 'check', n.tls_url + '/x.tfrecord', says='certificate')
    assert t.good('cat', n.tls_url + '/x.tfrecord', env={'CURL_CA_BUNDLE': n.ca}).out == wanted
    t.fails(3, 'check', n.url + '/private/x.tfrecord', says='401')
    host = n.url.split('//')[1].split(':')[0].encode()
    write(t.path('.netrc'), b'machine %s login alice password wrong\n' % host)
    t.fails(3, 'check', n.url + '/private/x.tfrecord', says=['401', 'netrc'])
    write(t.path('.netrc'), b'machine %s login alice password "open sesame"\n' % host)
    assert t.good('cat', n.url + '/private/x.tfrecord').out == wanted
    os.unlink(t.path('.netrc'))
    basic = 'Authorization: Basic ' + base64.b64encode(b'alice:open sesame').decode()
    assert t.good('cat', '--header', basic, n.url + '/private/x.tfrecord').out == wanted
    t.fails(3, 'check', n.url + '/none.tfrecord', says='none.tfrecord', hint=False)
    # of HTTP/2, which it offers, all ranges would share one connection
    assert all('HTTP/1.1' in line for line in n.lines() if ' 000 ' not in line), n.lines()


@case
def nginx_without_ranges(t):
    """A server that does not say its ranges: chunked, as a program generates it."""
    s = t.store(signed=False)
    data = records(1500, 20000)
    s.put('b', 'x.tfrecord', data)
    fault = s.inject(faults.ignore_range(), when=lambda r: 'Range' in r.headers, times=None)
    write(t.path('x'), data)
    assert t.good('cat', s.url + '/b/x.tfrecord').out == t.good('cat', t.path('x')).out
    assert fault.count and len(s.seen('GET')) <= 2, s.requests


@case
def ranges_with_status_200(t):
    """As rclone's server has them: the Content-Range says what the body is."""
    s, web = t.store(range_status=200), t.store(signed=False, range_status=200)
    t.environment['AWS_ENDPOINT_URL'] = s.url
    for size in (1000, 262144, 262145, 1 << 20, 30 << 20):
        data = records(-(-size // 20000), min(size, 20000))
        write(t.path('x'), data)
        for server, url in ((s, 's3://train/x'), (web, web.url + '/train/x')):
            server.put('train', 'x', data)
            assert t.good('cat', url).out == t.good('cat', t.path('x')).out, '%s of %d' % (url, size)
            t.good('check', url)
            last = len(data) // (min(size, 20000) + 16) - 1
            assert t.good('cat', '--records', str(last), url).out == t.good('cat', '--records', str(last), t.path('x')).out
    assert not any(r.answered == 206 for r in s.requests + web.requests)


@case
def ranges_past_the_end_that_are_400(t):
    """As nanio has it: the first request is repeated without a range."""
    s = t.store(strict_ranges=True)
    for size in (0, 1000, 262144 - 16, 262145, 20 << 20):
        data = records(-(-size // 20000), min(size, 20000)) if size else b''
        write(t.path('x'), data)
        s.put('train', 'x', data)
        s.requests.clear()
        assert t.good('cat', '--allow-empty', 's3://train/x').out == t.good('cat', '--allow-empty', t.path('x')).out, size
        assert sum(r.answered == 400 for r in s.requests) == (len(data) < 262144), s.requests
    fault = s.inject(faults.status(400, 'InvalidArgument', 'the words of the server'), times=None)
    t.fails(3, 'check', 's3://train/x', says='InvalidArgument', hint=False)
    assert fault.count <= 4, fault.count


@case
def moto_with_signatures(t):
    m = t.moto()
    client = m.client()
    client.create_bucket(Bucket='reading')
    data = records(1500, 20000)
    client.put_object(Bucket='reading', Key='ä b/x+y%41.tfrecord', Body=data)
    write(t.path('x'), data)
    assert t.good('cat', 's3://reading/ä b/x+y%41.tfrecord').out == t.good('cat', t.path('x')).out
    t.fails(3, 'check', 's3://reading/ä b/x+y%41.tfrecord', env={'AWS_SECRET_ACCESS_KEY': 'wrong'}, says='403')


@case
def moto_without_credentials(t):
    m = t.moto(signed=False)
    m.client().create_bucket(Bucket='public', ACL='public-read')
    m.client().put_object(Bucket='public', Key='x', Body=read(DATA + 'images.tfrecord'), ACL='public-read')
    assert t.good('cat', 's3://public/x').out == t.good('cat', DATA + 'images.tfrecord').out


@case
def at_a_distance_and_with_losses(t):
    """40 ms away, and with one packet in 500 lost: the same bytes, by more than one connection."""
    for link in ((40, 1000, 0), (40, 1000, .2)):
        d = t.distance(*link)
        root = t.path('root%s' % link[2])
        write(root + '/x.tfrecord', records(2500, 20000))
        os.chmod(t.folder, 0o755)
        n = t.nginx(root, prefix=d.there, address=d.address, name='nginx%s' % link[2])
        time.sleep(.5)
        result = t.good('cat', n.url + '/x.tfrecord', prefix=d.here)
        assert result.out == t.good('cat', root + '/x.tfrecord').out
        assert sum(' 206 ' in line for line in n.lines()) > 3 and result.seconds > .1, result
