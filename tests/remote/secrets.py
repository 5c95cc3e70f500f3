"""Secrets in URLs: a user, a password and a signature, through every command, are in nothing that is printed or written."""
import os
import time

from harness import DATA, case, read, records, write
from servers import faults

USER, PASSWORD, SIGNED = 'alice', 'pA55', '5ab0c'
QUERY = '?X-Amz-SignedHeaders=host,range&X-Amz-Signature=' + SIGNED


def commands(t, url):
    """Every command with the URL in each place that takes a name."""
    x, out = DATA + 'images.tfrecord', t.path('out')
    write(t.path('list'), url.encode() + b'\n')
    write(t.path('rows.csv'), b'photo,label\n%s,1\n' % url.encode())
    write(t.path('rows.jsonl'), b'{"photo": "%s", "label": 1}\n' % url.encode())
    for each in (url, '@' + url, '@' + t.path('list')):
        for command in ('check', 'check --json', 'check --format=github', 'count', 'count --json', 'count --per-file', 'schema', 'stats',
                        'stats --json', 'show', 'show --json', 'index', 'index --check', 'repair --dry-run', 'bench-feed --steps 1',
                        'bench-feed --json --steps 1', 'doctor'):
            yield [*command.split(), each]
        for command in ('cat', 'shuffle-to-disk', 'dedup', 'split --by-content', 'resample --by image/class/label', 'repair', 'export', 'shard',
                        'shard --resume', 'shard --on-error skip'):
            yield [*command.split(), each, '-o', out + '@2.tfrecord']
        yield ['diff', each, x]
        yield ['diff', x, each]
        yield ['count', x, each]
        yield ['count', '--allow-missing', each]
    for list_ in 'rows.csv', 'rows.jsonl':
        for more in [], ['--resume'], ['--on-error', 'quarantine=' + t.path('q'), '--report', t.path('report')], ['--dry-run']:
            yield ['shard', '--embed', 'photo', *more, t.path(list_), '-o', out + '@1.tfrecord']
    for command in (['check', '--schema', url, x], ['check', '--schema=' + url, x], ['stats', '--merge', url], ['finish', url], ['help', url],
                    ['cat', x, '-o', url], ['cat', x, '-o' + url], ['cat', x, '--output=' + url], ['shard', x, '-o', url + '=0.5', '-o', out],
                    ['cat', '--on-error', 'quarantine=' + url, x], ['cat', '--tmpdir', url, x], ['dedup', x, '-o', out, '--report', url],
                    ['show', '--html', url, x], ['bench-feed', '--steps', '1', '--compare', url, x], ['bench-feed', '--steps', '1', '--html', url, x],
                    ['bench-feed', '--steps', '1', '--trace', url, x], ['shard', '--labels', url, x, '-o', out], ['shard', '--root', url, x, '-o', out],
                    ['shard', '--mask', url, DATA + 'images', '-o', out], ['shard', '--annotations', url, DATA + 'images', '-o', out],
                    ['shard', '--captions', url, DATA + 'images', '-o', out], ['shard', '--panoptic', url, DATA + 'images', '-o', out],
                    ['shard', '--class-list', url, DATA + 'images', '-o', out], ['shard', '--synsets', url, DATA + 'images', '-o', out],
                    ['resample', '--by', 'image/class/label', '--target', url, x, '-o', out], ['count', '--no-such=' + url], [url], ['count', '--part', url],
                    ['cat', '--mix', url + '=0.7,' + x + '=0.3'], ['cat', '--mix=' + x + '=0.3,' + url + '=0.7'], ['cat', '--mix', url],
                    ['cat', '--mix', "'%s'=0.7,\"%s\"=1" % (url, url)], ['cat', '--mix', url + '=7,' + url + '=x']):
        yield command


def shows_nothing(t, result, given):
    seen = result.err + result.out.decode(errors='replace')
    for secret in USER, PASSWORD, SIGNED:
        assert secret not in seen, result
        for folder, _, names in os.walk(t.folder):
            for name in names:
                path = os.path.join(folder, name)
                assert name in given or secret.encode() not in read(path), path


@case
def are_never_shown(t):
    s = t.store(signed=False)
    s.put('d', 'x', records(5, 100)[:-3])
    closed = 'http://127.0.0.1:1/d/x'
    user = '%s:%s@' % (USER, PASSWORD)
    urls = [s.url + '/d/none' + QUERY, s.url.replace('://', '://' + user) + '/d/x' + QUERY, s.url + '/d/x' + QUERY, closed + QUERY, 'ftp://%sh/x' % user + QUERY]
    often = 2   # of the others, a sample
    urls += [url + QUERY for url in (s.url + '/d/x@2', s.url + '/d/x@*.tfrecord', s.url + '/d/x@auto.tfrecord', s.url.replace('http', 'HTTP') + '/d/none',
                                     'http://127.0.0.1:port/d/x', 'http://[::1/d/x', 'http:///x', 'ftp://127.0.0.1/x',
                                     closed.replace('http://', 'HTTPS://' + user))]
    urls += ['s3://%sd/x' % user, 'http://%s:%s/%s' % (USER, PASSWORD, closed[7:])]
    for i, url in enumerate(urls):
        for k, command in enumerate(commands(t, url)):
            if i < often or (i + k) % 6 == 0:
                options = () if command[0] in ('help', url) else ('--timeout', '0.2')
                result = t.run(command[0], *options, *command[1:])
                assert result.status in (0, 1, 2, 3), '%s: %r' % (command, result)
                shows_nothing(t, result, ('list', 'rows.csv', 'rows.jsonl'))


@case
def are_not_in_the_list_of_processes(t):
    s = t.store(signed=False)
    s.put('d', 'x', records(5, 100))
    fault = s.inject(faults.late(5), times=None)
    url = s.url.replace('http', 'HTTP') + '/d/x' + QUERY
    child = t.start('cat', '--mix', url + '=0.7,' + url.replace('5ab0c', '5ab0c-2') + '=1', '-o', t.path('out'))
    while not fault.count and child.poll() is None:
        time.sleep(.01)
    said = read('/proc/%d/cmdline' % child.pid)
    child.kill()
    child.communicate()
    assert b'--mix' in said and SIGNED.encode() not in said, said


@case
def weights_follow_queries(t):
    """The last '=' before a weight ends a query, which may have commas and other '='."""
    s = t.store(signed=False)
    for name in 'a', 'b':
        s.put('d', name, records(200, 20, seed=ord(name)))
        write(t.path(name), records(200, 20, seed=ord(name)))
    a, b = (s.url + '/d/' + name + QUERY + '==' for name in 'ab')
    wanted = t.good('cat', '--mix', '%s=0.75,%s=.25' % (t.path('a'), t.path('b'))).out
    for mix in '%s=0.75,%s=.25' % (a, b), "'%s'=0.75,\"%s\"=.25" % (a, b):
        s.requests.clear()
        assert t.good('cat', '--mix', mix).out == wanted
        assert {r.parameters['X-Amz-Signature'] for r in s.requests} == {SIGNED + '=='}, s.requests
    t.fails(2, 'cat', '--mix', '%s=3,%s' % (a, b), says='--mix takes SET=WEIGHT', hint=False)


@case
def a_query_belongs_to_its_folder(t):
    """Another name that ends in what stands for the query gets only that."""
    s, other = t.store(signed=False), t.store(signed=False)
    for server in s, other:
        for key in 'a/x', 'a/y', 'b/x':
            server.put('d', key, records(5, 100))
    signed = '%s/d/a/x%s' % (s.url, QUERY)
    for url in other.url + '/d/a/x', s.url + '/d/b/x', s.url + '/d/a2/x':
        write(t.path('list'), ('%s\n%s?hidden-1\n' % (signed, url)).encode())
        s.requests.clear()
        t.run('count', '@' + t.path('list'))
        for r in s.requests + other.requests:
            assert ('X-Amz-Signature' in r.parameters) == (r.path == '/d/a/x' and r in s.requests), r
        assert any(r.path != '/d/a/x' or r in other.requests for r in s.requests + other.requests)
    write(t.path('list'), ('%s\n%s/d/a/y?hidden-1\n' % (signed, s.url.replace('http', 'HTTP'))).encode())
    s.requests.clear()
    t.good('count', '@' + t.path('list'))
    assert {r.parameters['X-Amz-Signature'] for r in s.requests} == {SIGNED}
