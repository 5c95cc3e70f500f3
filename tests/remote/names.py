"""Names of objects: keys of all characters, sets, patterns, prefixes as folders, lists."""
import os

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
    slow = s.inject(faults.late(.1), when=lambda r: r.method == 'GET' and r.path.endswith('.png'), times=None)
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
def passwords_and_signed_urls_are_not_shown(t):
    s = t.store(signed=False)
    s.put('d', 'x', records(5, 100)[:-3])
    url = s.url.replace('//', '//alice:open%20sesame@') + '/d/x?X-Amz-Signature=5ab0c'
    result = t.run('check', url)
    assert result.status == 1 and '5ab0c' not in result.err + result.out.decode(), result
    result = t.run('check', url.replace('/d/x', '/d/none'))
    assert result.status == 3 and '5ab0c' not in result.err, result
    # Whatever a command says of an object, intact or damaged. (The harness searches for the password.)
    s.put('d', 'y', read(DATA + 'images.tfrecord'))
    intact = url.replace('/d/x', '/d/y')
    for command in (['check', '--json', url], ['check', '--format', 'junit', url], ['check', '--format', 'github', url], ['cat', url],
                    ['count', '--per-file', intact], ['count', '--json', intact], ['show', '-n', '1', intact], ['schema', url], ['stats', url],
                    ['stats', '--json', intact], ['bench-feed', '--seconds', '0.1', intact], ['bench-feed', '--json', '--seconds', '0.1', intact],
                    ['diff', intact, intact], ['diff', '--json', intact, DATA + 'kinds-gzip.tfrecord'], ['repair', '--dry-run', url],
                    ['index', '--dry-run', intact], ['dedup', intact, '-o', t.path('u.tfrecord')], ['shuffle', url, '-o', t.path('s.tfrecord')],
                    ['export', url, '-o', t.path('e')]):
        result = t.run(*command)
        assert result.status in (0, 1, 2) and '5ab0c' not in result.err + result.out.decode(errors='replace'), '%s: %r' % (command, result)


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
