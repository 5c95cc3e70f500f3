"""Names of objects: keys of all characters, sets, patterns, prefixes as folders, lists."""
import base64
import os
import time

from harness import DATA, case, read, records, write
from servers import faults

KEYS = ['plain', 'sp ace', 'ques?tion', 'ha#sh', 'per%cent', '%41', 'a//b', 'plus+', 'am&p=er', "quo'te\"s", 'ünïcode', 'semi;colon', 'a:b@c',
        'tilde~', 'star!()', 'deep/er/and/deeper', 'comma,', 'back\\slash', 'trailing.']


@case
def keys_of_all_characters(t):
    data = records(3, 100)
    write(t.path('x'), data)
    wanted = t.good('cat', t.path('x')).out
    for google in (False, True):
        s = t.store(google=google)
        scheme = 'gs' if google else 's3'
        for key in KEYS:
            s.put('train', 'k/' + key + '.tfrecord', data)
            assert t.good('cat', '%s://train/k/%s.tfrecord' % (scheme, key)).out == wanted, key
            if '@' not in key:  # as an output, a set
                t.good('cat', t.path('x'), '-o', '%s://train/w/%s.tfrecord' % (scheme, key))
        assert s.keys_of('train') == sorted('%s/%s.tfrecord' % (d, k) for d in 'kw' for k in KEYS if d == 'k' or '@' not in k)


@case
def sets_and_patterns(t):
    s = t.store(page=3)  # several pages of each listing
    sums = []
    for i in range(7):
        data = records(5 + i, 300, seed=i)
        s.put('train', 'd/x-%05d-of-00007.tfrecord' % i, data)
        write(t.path('d/x-%05d-of-00007.tfrecord' % i), data)
    s.put('train', 'd/other', b'no records')
    for i in range(40):
        s.put('train', 'd/sub%d/file' % i, b'no records')
    wanted = t.good('count', '--sum', t.path('d/x@7.tfrecord')).out.split()[:2]
    for url in ('s3://train/d/x@7.tfrecord', 's3://train/d/x@*.tfrecord', 's3://train/d/x-*.tfrecord', 's3://train/d/x-0000?-of-00007.tfrecord'):
        lines = t.good('count', '--sum', url).out.decode().splitlines()
        sums.append(lines)
        if '@' in url:
            assert lines[-1].encode().split()[:2] == wanted, url
    assert any(r.parameters.get('continuation-token') for r in s.requests)
    del s.objects['train', 'd/x-00003-of-00007.tfrecord']
    result = t.run('count', 's3://train/d/x@7.tfrecord')
    assert result.status in (1, 3) and '00003' in result.err, result


@case
def listings_in_the_order_of_folders(t):
    """As SeaweedFS has it: the order of a server decides neither what is listed nor the result."""
    ours, theirs = t.store(page=5), t.store(page=5, folders=True)
    image = read(DATA + 'images/jpeg/444.jpg')
    for server in (ours, theirs):
        for i in range(7):
            for name in ('d/a%d', 'd-b/a%d', 'd%d', 'd0/a%d', 'd-%d', 'd/d/a%d'):
                server.put('train', 'p/' + name % i + '.jpg', image + b'%d' % i)
                server.put('train', 'q/' + name % i + '.tfrecord', records(2, 300, seed=i))
    found = []
    for server in (ours, theirs):
        t.environment['AWS_ENDPOINT_URL'] = server.url
        t.good('shard', '-f', 's3://train/p/', '-o', t.path('x@1'))
        found.append((read(t.path('x-00000-of-00001')), *(t.good('count', '--sum', url).out for url in (
            's3://train/q/*.tfrecord', 's3://train/q/*/*.tfrecord', 's3://train/q/d*/*', 's3://train/q/d/'))))
    assert found[0] == found[1], found


@case
def lists_of_names(t):
    s = t.store()
    data = records(5, 300)
    s.put('train', 'a', data)
    s.put('train', 'b', data)
    write(t.path('list'), b's3://train/a\ns3://train/b\n')
    s.put('train', 'list', b's3://train/a\ns3://train/b\n')
    wanted = t.good('cat', 's3://train/a', 's3://train/b').out
    assert t.good('cat', '@' + t.path('list')).out == wanted
    assert t.good('cat', '@s3://train/list').out == wanted


@case
def web_servers_cannot_list(t):
    s = t.store(signed=False)
    for i in range(2):
        s.put('d', 'x-%05d-of-00002' % i, records(5, 300, seed=i))
    t.good('check', s.url + '/d/x@2')
    result = t.run('check', s.url + '/d/x@*')
    assert result.status in (2, 3) and 'hint:' in result.err, result
    result = t.run('shard', s.url + '/d/', '-o', t.path('out@1'))
    assert result.status in (2, 3) and 'hint:' in result.err, result


@case
def a_prefix_of_images_is_a_folder(t):
    s = t.store(page=4)
    for folder, _, names in os.walk(DATA + 'images'):
        for name in names:
            path = os.path.join(folder, name)
            s.put('train', 'photos/' + os.path.relpath(path, DATA + 'images'), read(path))
    t.good('shard', DATA + 'images', '-o', t.path('here@2.tfrecord'))
    t.good('shard', 's3://train/photos/', '-o', t.path('there@2.tfrecord'))
    for i in range(2):
        name = '-%05d-of-00002.tfrecord' % i
        assert read(t.path('here' + name)) == read(t.path('there' + name))
    paths = [r.path for r in s.seen('GET') if r.parameters.get('list-type') != '2']
    assert len(paths) <= 2 * len(s.objects), 'images are read more than twice'


@case
def many_small_requests_are_in_flight(t):
    s = t.store()
    image = read(DATA + 'images/' + next(n for n in sorted(_images())))
    for i in range(200):
        s.put('train', 'photos/a/%03d.png' % i, image)
    slow = s.inject(faults.late(.1), when=lambda r: r.method == 'GET' and '/a/' in r.path, times=None)
    result = t.good('shard', 's3://train/photos/', '-o', t.path('x@1.tfrecord'))
    assert slow.count >= 200 and s.most_busy >= 8 and result.seconds < 10, (s.most_busy, result)


@case
def rows_of_a_list_are_fetched_ahead(t):
    """Of URLs in a local list, and of paths in a list in a bucket."""
    s = t.store()
    names = sorted(_images())[:6]
    images = [read(DATA + 'images/' + n) for n in names]
    for i in range(120):
        s.put('train', 'photos/%03d.png' % i, images[i % len(images)])
    slow = s.inject(faults.late(.3), when=lambda r: r.method == 'GET' and r.path.endswith('.png'), times=None)
    rows = ''.join('s3://train/photos/%03d.png,%d\n' % (i, i) for i in range(120))
    write(t.path('urls.csv'), ('img,label\n' + rows).encode())
    paths = ''.join('{"img": "photos/%03d.png", "label": %d}\n' % (i, i) for i in range(120))
    s.put('train', 'list.jsonl', paths.encode())
    for source in (t.path('urls.csv'), 's3://train/list.jsonl'):
        for options in ([], ['--shuffle', '--seed', '1']):
            before = slow.count
            s.most_busy = 0
            result = t.good('shard', '-f', '--embed', 'img', *options, source, '-o', t.path('x@1.tfrecord'))
            # more at once than there are threads; each of them once
            assert s.most_busy >= 8 and slow.count - before == 120 and result.seconds < 10, (source, options, s.most_busy, slow.count - before)
            assert t.good('count', t.path('x@1.tfrecord')).out.split()[0] == b'120'


def _images():
    for folder, _, names in os.walk(DATA + 'images'):
        for name in names:
            if name.endswith('.png') and 'broken' not in folder:
                yield os.path.relpath(os.path.join(folder, name), DATA + 'images')


@case
def names_that_are_no_buckets(t):
    t.store()
    for url in ('s3://', 's3:///x', 's3://a..b/x', 's3://bucket--x-s3/x', 's3://arn:aws:s3:x/y', 'gs://'):
        result = t.run('check', url)
        assert result.status in (2, 3) and result.err.startswith('tfr check: ') or url in result.out.decode(), '%s: %r' % (url, result)


@case
def schemes_that_are_not_served(t):
    write(t.path('x'), records(3, 100))
    for scheme in ('ftp', 'hf', 'az', 'file'):
        for command in (['count', scheme + '://h/x'], ['cat', t.path('x'), '-o', scheme + '://h/x'],
                        ['shard', t.path('x'), '-o', scheme + '://h/x@2'], ['shard', scheme + '://h/photos', '-o', t.path('y')]):
            t.fails(3, *command, says=[scheme + '://h/', 'Addresses begin with s3://'])


@case
def sizes_of_parts_are_checked_at_once(t):
    s = t.store()
    for size in ('1M', '6G'):
        for command in ('count', 'check', 'cat'):
            t.fails(2, command, '--part-size', size, 's3://train/x', says='a part has 5 MiB to 5 GiB', hint=False)
    assert not s.requests


@case
def buckets_in_the_name_of_the_host(t):
    """addressing_style = virtual; *.localhost is this machine."""
    s = t.store()
    s.put('train', 'x.tfrecord', records(5, 100))
    write(t.path('config'), b'[default]\ns3 =\n  addressing_style = virtual\n')
    env = {'AWS_CONFIG_FILE': t.path('config'), 'AWS_ENDPOINT_URL': s.url.replace('127.0.0.1', 'localhost')}
    t.good('check', 's3://train/x.tfrecord', env=env)
    assert all(r.headers['Host'].startswith('train.localhost') for r in s.requests)


@case
def user_names_in_urls_are_refused(t):
    """Nothing is sent, and neither is printed. (The harness searches for the password.)"""
    s = t.store(signed=False)
    s.put('d', 'x', records(5, 100))
    for user in 'alice:open%20sesame@', 'alice@', ':open%20sesame@', 'a@b:open%20sesame@':
        url = s.url.replace('//', '//' + user) + '/d/x'
        write(t.path('list'), url.encode() + b'\n')
        write(t.path('rows.csv'), b'photo,label\n%s,1\n' % url.encode())
        for command in (['check', url], ['cat', url + '?5ab0c'], ['count', '@' + t.path('list')], ['check', '@' + url],
                        ['shard', '--embed', 'photo', t.path('rows.csv'), '-o', t.path('o.tfrecord')]):
            result = t.fails(2, *command, says=['a user name or a password in the URL of', 'netrc', '--header'])
            assert 'alice' not in result.err and '5ab0c' not in result.err, result
    assert not s.requests, s.requests


SIGNED = '5ab0c'


def _shows_nothing(t, result, *lists):
    """Neither what was printed nor a file that tfr wrote has the signature."""
    assert SIGNED not in result.err + result.out.decode(errors='replace'), result
    for folder, _, names in os.walk(t.folder):
        for name in names:
            path = os.path.join(folder, name)
            assert path in lists or SIGNED.encode() not in read(path), path


@case
def signed_urls_are_not_shown(t):
    """A query is sent, and is in no message, report, manifest, state, index or label."""
    s = t.store(signed=False)
    s.put('d', 'x', records(5, 100)[:-3])
    s.put('d', 'y', read(DATA + 'images.tfrecord'))
    s.put('d', 'y.jpg', read(DATA + 'media/420.jpg'))
    query = '?X-Amz-Signature=' + SIGNED
    url, intact, image = (s.url + '/d/' + name + query for name in ('x', 'y', 'y.jpg'))
    result = t.run('check', url.replace('/d/x', '/d/none'))
    assert result.status == 3 and SIGNED not in result.err, result
    assert s.requests and all(r.parameters == {'X-Amz-Signature': SIGNED} for r in s.requests), s.requests
    lists = [t.path(name) for name in ('inputs', 'rows.csv', 'gone.csv', 'rows.jsonl')]
    write(lists[0], intact.encode() + b'\n')
    write(lists[1], b'photo,label\n%s,1\n' % image.encode())
    write(lists[2], b'photo,label\n%s,1\n%s,2\n' % (image.encode(), image.replace('y.jpg', 'none').encode()))
    write(lists[3], b'{"photo": "%s", "label": 1}\n' % image.encode())
    for command in (['check', '--json', url], ['check', '--format', 'junit', url], ['check', '--format', 'github', url], ['cat', url],
                    ['count', '--per-file', intact], ['count', '--json', intact], ['count', '@' + lists[0]], ['show', '-n', '1', intact],
                    ['show', '--html', t.path('show.html'), intact], ['schema', url], ['stats', url], ['stats', '--json', intact],
                    ['stats', '--html', t.path('stats.html'), intact], ['bench-feed', '--seconds', '0.1', intact],
                    ['bench-feed', '--json', '--seconds', '0.1', intact],
                    ['bench-feed', '--seconds', '0.1', '--html', t.path('b.html'), '--trace', t.path('b.json'), intact],
                    ['diff', intact, intact], ['diff', '--json', intact, DATA + 'kinds-gzip.tfrecord'], ['repair', '--dry-run', url],
                    ['repair', url, '-o', t.path('r.tfrecord')], ['index', '--dry-run', intact], ['index', intact, '-o', t.path('i.tfidx')],
                    ['dedup', intact, '-o', t.path('u.tfrecord')], ['shuffle', url, '-o', t.path('s.tfrecord')],
                    ['shuffle-to-disk', intact, '-o', t.path('d@2.tfrecord')], ['split', intact, '-o', t.path('p@2.tfrecord=0.5'), '-o', t.path('q@2.tfrecord')],
                    ['resample', '--by', 'image/class/label', intact, '-o', t.path('b@2.tfrecord')], ['cat', intact, '-o', t.path('c@2.tfrecord')],
                    ['shard', intact, '--resume', '-o', t.path('r@2.tfrecord')], ['export', url, '-o', t.path('e')],
                    ['shard', '--embed', 'photo', '--resume', lists[1], '-o', t.path('l@1.tfrecord')],
                    ['shard', '--embed', 'photo', lists[3], '-o', t.path('j@1.tfrecord')],
                    ['shard', '--embed', 'photo', lists[2], '--on-error', 'quarantine=' + t.path('quarantine'), '--report', t.path('report.json'),
                     '-o', t.path('g@1.tfrecord')],
                    ['shard', '--embed', 'photo', lists[2], '-o', t.path('h@1.tfrecord')], ['doctor', t.folder]):
        result = t.run(*command)
        assert result.status in (0, 1, 2), '%s: %r' % (command, result)
        _shows_nothing(t, result, *lists)
    assert {'d.2-tfrecord.manifest.json', 'r.2-tfrecord.manifest.json', 'l.1-tfrecord.manifest.json'} <= set(os.listdir(t.folder))
    # a redirect to another host
    other = t.store(signed=False)
    other.put('d', 'y', read(DATA + 'images.tfrecord'))
    fault = s.inject(faults.redirect(other.url.replace('127.0.0.1', 'localhost') + '/d/y'), times=None)
    t.good('count', intact)
    assert fault.count and other.requests and not any(SIGNED in r.path + str(r.parameters) + str(r.headers) for r in other.requests)
    s.faults.remove(fault)
    # the state of a run that was killed
    source = t.path('many.csv')
    lists.append(source)
    write(source, b'photo,label\n' + b'%s,1\n' % image.encode() * 3000)
    s.inject(faults.slow(4096, .01), when=lambda r: len(s.requests) > 400, times=None)
    child = t.start('shard', '--embed', 'photo', '--resume', '--checkpoint', '0.02', '--no-shuffle', source, '-o', t.path('many@1.tfrecord'))
    end = time.monotonic() + 20
    while not any(name.endswith('.resume') for name in os.listdir(t.folder)) and child.poll() is None and time.monotonic() < end:
        time.sleep(.02)
    child.kill()
    out, err = child.communicate()
    assert any(name.endswith('.resume') for name in os.listdir(t.folder)), err
    _shows_nothing(t, t.run('count', intact), *lists)


@case
def a_header_is_sent_to_the_server_of_the_inputs_only(t):
    s, other = t.store(signed=False), t.store(signed=False)
    s.put('d', 'x', read(DATA + 'images.tfrecord'))
    other.put('d', 'y.jpg', read(DATA + 'media/420.jpg'))
    secret = 'Bearer SECRET-of-the-header'
    header = ['--header', 'Authorization: ' + secret]
    t.good('cat', *header, s.url + '/d/x', '-o', t.path('c@2.tfrecord'))
    assert all(r.headers['Authorization'] == secret for r in s.requests), s.requests
    manifest = read(t.path('c.2-tfrecord.manifest.json'))
    assert b"cat --header '***' " in manifest and b'SECRET' not in manifest, manifest
    t.good('shuffle-to-disk', '--header=Authorization: ' + secret, s.url + '/d/x', '-o', t.path('d@2.tfrecord'))
    assert all(r.headers['Authorization'] == secret for r in s.requests), s.requests
    assert b'SECRET' not in read(t.path('d.2-tfrecord.manifest.json'))
    assert 'SECRET' not in t.good('bench-feed', '--json', '--steps', '1', '--batch', '2', *header, s.url + '/d/x').out.decode()
    # another server that a list names, and a redirect to another port and to another name of this host
    write(t.path('rows.csv'), b'photo,label\n%s/d/y.jpg,1\n' % other.url.encode())
    s.put('d', 'rows.csv', read(t.path('rows.csv')))
    t.good('shard', *header, '--embed', 'photo', s.url + '/d/rows.csv', '-o', t.path('r@1.tfrecord'))
    assert other.requests and not any('Authorization' in r.headers for r in other.requests), other.requests
    assert b'SECRET' not in read(t.path('r.1-tfrecord.manifest.json'))
    for target in (other.url, other.url.replace('127.0.0.1', 'localhost')):
        del other.requests[:]
        other.put('d', 'x', read(DATA + 'images.tfrecord'))
        fault = s.inject(faults.redirect(target + '{}'), times=None)
        t.good('count', *header, s.url + '/d/x')
        assert fault.count and other.requests, s.requests
        assert not any('Authorization' in r.headers or 'SECRET' in str(r.headers) for r in other.requests), other.requests
        s.faults.remove(fault)
    # what is no header for one server
    for wrong, says in ((['--header', 'X-Token: SECRET-1', s.url + '/d/x'], "takes 'Auth"),
                        (['--header', 'Authorization: SECRET-1\r\nX: y', s.url + '/d/x'], "takes 'Auth"),
                        ([*header, s.url + '/d/x', other.url + '/d/x'], 'one web server'), ([*header, 's3://d/x'], 'needs the address'),
                        ([*header, DATA + 'images.tfrecord'], 'needs the address')):
        result = t.run('count', *wrong)
        assert result.status == 2 and says in result.err.replace('Authorization', 'Auth'), result


@case
def a_header_is_not_in_the_list_of_processes(t):
    s = t.store(signed=False)
    s.inject(faults.stall(), times=None)
    for words in (['--header', 'Authorization: SECRET-1'], ['--header=Authorization: SECRET-1']):
        child = t.start('count', *words, s.url + '/d/x?X-Amz-Signature=' + SIGNED)
        end = time.monotonic() + 20
        while not s.requests and time.monotonic() < end:
            time.sleep(.02)
        shown = read('/proc/%d/cmdline' % child.pid)
        child.kill()
        child.communicate()
        assert s.requests and b'SECRET' not in shown and b'***' in shown and SIGNED.encode() not in shown, shown
        del s.requests[:]


@case
def netrc_names_users_of_web_servers(t):
    s, other = t.store(signed=False), t.store(signed=False)
    s.put('d', 'x', records(5, 100))
    other.put('d', 'x', records(5, 100))
    write(t.path('.netrc'), b'machine 127.0.0.1 login alice password open%20sesame\n')
    t.good('count', s.url + '/d/x')
    assert all(r.headers.get('Authorization', '').startswith('Basic ') for r in s.requests), s.requests
    # not to another host, not to a bucket, and not where a header takes its place
    fault = s.inject(faults.redirect(other.url.replace('127.0.0.1', 'localhost') + '{}'), times=None)
    # an entry without a password does not get that of the first host, as in libcurl before the repair of CVE-2024-11053
    for more in b'', b'machine localhost\n', b'machine localhost login bob\n', b'default\n', b'default login bob\n':
        write(t.path('.netrc'), b'machine 127.0.0.1 login alice password open%20sesame\n' + more)
        t.good('count', s.url + '/d/x')
        sent = [base64.b64decode(r.headers.get('Authorization', 'Basic ')[6:]) for r in other.requests]
        assert fault.count and sent and not any(b'sesame' in each or b'alice' in each for each in sent), (more, sent)
    write(t.path('.netrc'), b'machine 127.0.0.1 login alice password open%20sesame\n')
    s.faults.remove(fault)
    del s.requests[:]
    t.good('count', '--header', 'Authorization: Bearer TOKEN-1', s.url + '/d/x')
    assert all(r.headers['Authorization'] == 'Bearer TOKEN-1' for r in s.requests), s.requests
    del s.requests[:]
    t.good('count', '--anonymous', s.url + '/d/x')
    t.good('count', s.url.replace('127.0.0.1', 'localhost') + '/d/x')
    t.good('count', 's3://d/x', env={'AWS_ENDPOINT_URL': s.url})
    assert s.requests and not any('Authorization' in r.headers for r in s.requests), s.requests


@case
def prefixes_with_records_are_suggested(t):
    s = t.store(page=2)
    for key in 'p/', 'p/x.tfrecord', 'p/sub/x.tfrecord', 'q/x.tfrecord':
        s.put('train', key, read(DATA + 'images.tfrecord'))
    for url in 's3://train', 's3://train/':
        t.fails(1, 'count', url, says="TFRecord files are in 's3://train/p', 's3://train/q'")
    assert not any('//' in r.path for r in s.requests), s.requests


@case
def readers_who_may_not_list(t):
    """Without the right to list, a store answers 403 in place of 404, and to each listing: what can be read is read."""
    s = t.store()
    for i in range(3):
        s.put('train', 'x-%05d-of-00003.tfrecord' % i, read(DATA + 'images.tfrecord'))
    s.put('train', 'one.tfrecord', read(DATA + 'images.tfrecord'))
    denied = s.inject(faults.status(403, 'AccessDenied', 'Access Denied'),
                      when=lambda r: 'list-type' in r.parameters or ('train', r.path[len('/train/'):]) not in s.objects, times=None)
    for url in ('s3://train/one.tfrecord', 's3://train/x@3.tfrecord'):
        for command in (['count'], ['count', '--sum'], ['check'], ['check', '--quick'], ['cat'], ['show', '-n', '1'], ['stats'], ['schema'],
                        ['bench-feed', '--steps', '2', '--batch', '2'], ['shuffle-to-disk', '-o', t.path('y.tfrecord'), '-f']):
            t.good(*command, url)
    assert denied.count
    t.fails(3, 'count', 's3://train/none.tfrecord', says=['none.tfrecord', '403'])
    t.fails(3, 'count', 's3://train/x@*.tfrecord', says=['train', '403'])
