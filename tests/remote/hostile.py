"""Hostile servers: no bound of memory or time is broken, and nothing is written outside the target."""
import base64
import os
import re

from harness import DATA, MIB, case, read, records, write
from servers import faults

URL = 's3://train/x.tfrecord'
BOUND = 128 * MIB


def _attack(t, s, act, *command, **options):
    fault = s.inject(act, times=None)
    result = t.run(*command, '--timeout', '3', **options)
    assert fault.count, 'the fault did not happen: %r' % result
    assert result.status == 3, result
    assert result.peak < BOUND, result
    assert result.seconds < 20, result
    s.faults.clear()
    return result


@case
def endless_headers(t):
    s = t.store()
    _attack(t, s, faults.endless_headers(), 'check', URL)


@case
def endless_bodies(t):
    s = t.store()
    s.put('train', 'x.tfrecord', records(10, 1000))
    for code in (206, 403, 503):
        _attack(t, s, faults.endless_body(code), 'check', URL)
    for code in (200, 403):
        fault = s.inject(faults.endless_body(code), when=lambda r: 'delimiter' in r.parameters, times=None)
        result = t.run('check', '--timeout', '3', 's3://train/x@*.tfrecord')
        assert fault.count and result.status == 3 and result.peak < BOUND and result.seconds < 20, result
        s.faults.clear()


@case
def an_endless_object_of_a_web_server(t):
    """A body without an end where no length is known: it is read, and memory stays as it is."""
    s = t.store(signed=False)
    fault = s.inject(faults.endless_body(200, records(20, 3000)), times=None)
    result = t.run('cat', '--limit', '2000', s.url + '/x')
    assert fault.count and result.status == 0 and result.peak < BOUND, result


@case
def bombs(t):
    s = t.store()
    s.put('train', 'x.tfrecord', records(10, 1000))
    fault = s.inject(faults.gzipped(400 * MIB), times=None)
    for url in (URL, 's3://train/x@*.tfrecord'):
        result = t.run('check', url)
        assert fault.count and result.status in (1, 3) and result.peak < BOUND, result


LISTING = ('<?xml version="1.0"?><ListBucketResult><IsTruncated>%s</IsTruncated><KeyCount>1</KeyCount>%s'
           '<Contents><Key>%s</Key><Size>%s</Size><ETag>"a"</ETag><LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>'
           '</ListBucketResult>')


@case
def malformed_listings(t):
    s = t.store()
    good = LISTING % ('false', '', 'x-00000-of-00001.tfrecord', '1')
    for text in ('', 'x', '<', good[:-5], good.replace('<Key>', '<Key>&bomb;'), '<a>' * 100000, good.replace('ListBucketResult', 'Other'),
                 '<!DOCTYPE a [<!ENTITY b "x">]>' + good[21:], LISTING % ('false', '', 'a\0b', '1'), LISTING % ('false', '', 'x' * 5000, '1'),
                 LISTING % ('false', '', 'x-00000-of-00001.tfrecord', '-1'), LISTING % ('false', '', 'x', '99999999999999999999'),
                 LISTING % ('true', '', 'x', '1')):
        fault = s.inject(faults.body(text), when=lambda r: 'delimiter' in r.parameters, times=None)
        result = t.run('check', '--timeout', '3', 's3://train/x@*.tfrecord')
        assert fault.count and result.status in (1, 3), '%.200s: %r' % (text, result)
        assert result.peak < BOUND and result.seconds < 20 and 'Sanitizer' not in result.err
        s.faults.clear()


@case
def listings_that_repeat(t):
    s = t.store()
    token = '<NextContinuationToken>again</NextContinuationToken>'
    fault = s.inject(faults.body(LISTING % ('true', token, 'x-00000-of-00001.tfrecord', '1')),
                     when=lambda r: 'delimiter' in r.parameters, times=None)
    result = t.run('check', '--timeout', '3', 's3://train/x@*.tfrecord')
    assert result.status == 3 and 1 < fault.count < 20, '%d: %r' % (fault.count, result)


@case
def listings_without_an_end(t):
    """A token that comes again, keys that come again under new tokens, and pages without a key."""
    s = t.store()
    page = ('<?xml version="1.0"?><ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>%s</NextContinuationToken>%s'
            '</ListBucketResult>')
    row = '<Contents><Key>x-%05d-of-00009.tfrecord</Key><Size>1</Size></Contents>'
    folder = '<CommonPrefixes><Prefix>x-d/</Prefix></CommonPrefixes>'
    for token, keys in ((lambda n: 'a' if n % 2 else 'b', lambda n: row % n), (str, lambda n: row % (n % 3)), (str, lambda n: folder)):
        made = []

        def act(x):
            made.append(1)
            faults.body(page % (token(len(made)), keys(len(made))))(x)
        fault = s.inject(act, when=lambda r: 'delimiter' in r.parameters, times=None)
        result = t.run('check', '--timeout', '3', 's3://train/x@*.tfrecord')
        assert result.status == 3 and 'malformed' in result.err and 1 < fault.count < 1100, '%d: %r' % (fault.count, result)
        s.faults.clear()


@case
def a_truncation_that_is_neither_true_nor_false(t):
    """What may be the middle of a listing is not its end."""
    s = t.store()
    s.put('train', 'x-00000-of-00001.tfrecord', records(10, 100))
    for word in ('True', '1', 'yes', ''):
        fault = s.inject(faults.body(LISTING % (word, '', 'x-00000-of-00001.tfrecord', '1')), when=lambda r: 'delimiter' in r.parameters, times=None)
        result = t.run('count', 's3://train/x@*.tfrecord')
        assert fault.count and result.status == 3 and 'malformed' in result.err, '%s: %r' % (word, result)
        s.faults.clear()


@case
def control_characters_of_keys(t):
    """XML cannot hold them, neither raw nor as references: what servers send all the same is read, in keys and in tokens."""
    def references(x):
        """As Ceph, whose tokens are keys."""
        token = x.request.parameters.get('continuation-token')
        if token:
            x.request.parameters['continuation-token'] = base64.b64encode(token.encode()).decode()
        answer = x.answer()
        text = re.sub('<NextContinuationToken>(.*?)<', lambda m: '<NextContinuationToken>%s<' % base64.b64decode(m[1]).decode(), answer.body.decode())
        answer.body = text.replace('\x01', '&#x01;').replace('\x1f', '&#31;').encode()
        x.send(answer)
    key = 'd/b\x01\x1f\x01c.tfrecord'
    for encodes in (True, False):
        for refers in (True, False):
            for page in (1, 1000):
                s = t.store(encodes=encodes, page=page)
                for each in ('d/a.tfrecord', key, 'd/c.tfrecord'):
                    s.put('train', each, records(5, 100))
                fault = s.inject(references, when=lambda r: 'list-type' in r.parameters, times=None if refers else 0)
                assert t.good('count', 's3://train/d/*.tfrecord').out.split() == [b'15'], s.requests
                assert bool(fault.count) == refers
    # noncharacters of Unicode stay what they are
    s.put('train', 'e/\ufdd1.tfrecord', records(5, 100))
    assert t.good('count', 's3://train/e/*.tfrecord').out.split() == [b'5'], s.requests
    # in the answer to the start of an upload
    fault = s.inject(references, when=lambda r: 'uploads' in r.parameters)
    source = write(t.path('in.tfrecord'), records(400, 20000))
    t.good('cat', '--part-size', '5MiB', source, '-o', 's3://train/f' + key)
    assert fault.count == 1 and s.get('train', 'f' + key) == records(400, 20000) and not s.uploads


@case
def keys_that_leave_the_target(t):
    """Images with hostile keys: nothing appears outside the folder that is written."""
    s = t.store()
    names = ['../../up.png', '/abs.png', 'a/../../up2.png', 'c//d.png', './e.png', 'back\\slash.png', 'new\nline.png']
    image = read(_an_image())
    for name in names + ['good.png']:
        s.put('train', 'photos/' + name, image)
    os.mkdir(t.path('in'))
    before = sorted(os.listdir(t.folder))
    result = t.run('shard', 's3://train/photos/', '-o', t.path('in/x@1.tfrecord'))
    assert result.status in (0, 1, 3) and s.seen('GET'), result
    if result.status == 0:
        t.run('export', t.path('in/x@1.tfrecord'), '-o', t.path('in/out'))
    assert sorted(os.listdir(t.folder)) == before, os.listdir(t.folder)
    assert not os.path.exists(os.path.dirname(t.folder) + '/up.png') and not os.path.exists('/abs.png')


def _an_image():
    for folder, _, files in sorted(os.walk(DATA + 'images')):
        for name in sorted(files):
            if name.endswith('.png') and 'broken' not in folder:
                return os.path.join(folder, name)


@case
def control_characters_of_the_server(t):
    s = t.store()
    fault = s.inject(faults.status(403, 'Bad\x1b[31m', 'words\x1b[2J\r\nmore'), times=None)
    result = t.run('check', URL)
    assert fault.count and result.status == 3 and '\x1b' not in result.err, result
