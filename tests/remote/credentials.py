"""Where credentials come from, when they are renewed, and where they do not go."""
import os
import time

from harness import DATA, ID, SECRET, case, read, records, write
from servers import faults, services
from servers.signature import Keys

URL = 's3://train/x.tfrecord'
NONE = {'AWS_ACCESS_KEY_ID': None, 'AWS_SECRET_ACCESS_KEY': None}


def _numbered(s):
    """The keys of services.Services, accepted in the order that they are given out."""
    s.keys = {'ID-%d' % n: Keys('SECRET-%d' % n, 'TOKEN-%d' % n) for n in range(1, 20)}


def _object(t, **options):
    s = t.store(**options)
    s.put('train', 'x.tfrecord', records(10, 1000))
    return s


@case
def profiles_of_the_files(t):
    s = _object(t, region='eu-central-1')
    write(t.path('.aws/credentials'), b'[default]\naws_access_key_id = no\naws_secret_access_key = no\n[mine]\naws_access_key_id=%s\n'
          b'aws_secret_access_key = %s\n' % (ID.encode(), SECRET.encode()))
    write(t.path('.aws/config'), b'[profile mine]\nregion = eu-central-1\nendpoint_url = %s\n' % s.url.encode())
    t.good('check', URL, env=NONE | {'AWS_PROFILE': 'mine', 'AWS_ENDPOINT_URL': None})
    assert all('/eu-central-1/' in r.headers['Authorization'] for r in s.requests)
    t.fails(3, 'check', URL, env=NONE | {'AWS_PROFILE': 'default'}, says='403')
    result = t.run('check', URL, env=NONE | {'AWS_PROFILE': 'none'})
    assert result.status in (2, 3) and 'none' in result.err, result


@case
def wrong_keys_are_named(t):
    s = _object(t)
    t.fails(3, 'check', URL, env={'AWS_SECRET_ACCESS_KEY': 'wrong'}, says=['403', 's3://train'])
    t.fails(3, 'check', URL, env={'AWS_ACCESS_KEY_ID': 'unknown'}, says=['403', 's3://train'])
    assert len([r for r in s.requests if r.answered == 403]) == len(s.requests) <= 4, 'refusals are repeated'


@case
def anonymous(t):
    s = _object(t, public=True)
    t.good('check', '--anonymous', URL)
    t.good('check', URL, env=NONE)
    assert s.requests and not any('Authorization' in r.headers for r in s.requests)
    s.public = False
    t.fails(3, 'check', '--anonymous', URL, says='403')


@case
def web_identity(t):
    s = _object(t)
    _numbered(s)
    service = t.server(services.Services())
    write(t.path('token'), b'web-identity')
    env = NONE | {'AWS_ROLE_ARN': 'arn:aws:iam::123456789012:role/r', 'AWS_WEB_IDENTITY_TOKEN_FILE': t.path('token'),
                  'AWS_ENDPOINT_URL_STS': service.url}
    t.good('check', URL, env=env)
    assert service.given == 1 and all(r.headers['x-amz-security-token'] == 'TOKEN-1' for r in s.requests)
    write(t.path('token'), b'another')
    t.fails(3, 'check', URL, env=env, says='InvalidIdentityToken|wrong token', hint=False)


@case
def containers(t):
    s = _object(t)
    _numbered(s)
    service = t.server(services.Services(authorization='let me in'))
    env = NONE | {'AWS_CONTAINER_CREDENTIALS_FULL_URI': service.url + '/container', 'AWS_CONTAINER_AUTHORIZATION_TOKEN': 'let me in'}
    t.good('check', URL, env=env)
    assert service.given == 1
    result = t.run('check', URL, env=env | {'AWS_CONTAINER_AUTHORIZATION_TOKEN': 'no'})
    assert result.status in (2, 3) and 'let me in' not in result.err, result
    # to a host that is neither local nor encrypted the token is not sent
    result = t.run('check', URL, env=env | {'AWS_CONTAINER_CREDENTIALS_FULL_URI': 'http://192.0.2.1/container'})
    assert result.status in (2, 3) and result.seconds < 5, result


@case
def instance_metadata(t):
    s = _object(t)
    _numbered(s)
    service = t.server(services.Services())
    env = NONE | {'AWS_EC2_METADATA_DISABLED': None, 'AWS_EC2_METADATA_SERVICE_ENDPOINT': service.url}
    t.good('check', URL, env=env)
    assert service.given == 1 and service.seen('PUT', '/latest/api/token')
    service.requests.clear()
    t.good('check', DATA + 'images.tfrecord', env=env)
    assert not service.requests, 'local files need no credentials'


@case
def keys_are_renewed_before_they_expire(t):
    """Keys that expire within five minutes are asked for again, in the middle of an object too."""
    s = _object(t)
    _numbered(s)
    s.put('train', 'x.tfrecord', records(1500, 20000))
    service = t.server(services.Services(lifetime=100))
    s.inject(faults.late(1.2), when=lambda r: r.method == 'GET', times=3)
    env = NONE | {'AWS_CONTAINER_CREDENTIALS_FULL_URI': service.url + '/container'}
    t.good('check', URL, env=env)
    assert service.given >= 1
    assert len(service.requests) < 10, 'asked %d times' % len(service.requests)


@case
def a_process_prints_keys(t):
    s = _object(t)
    script = t.path('script')
    write(script, b'#!/bin/sh\necho \'{"Version": 1, "AccessKeyId": "%s", "SecretAccessKey": "%s"}\'\n' % (ID.encode(), SECRET.encode()))
    os.chmod(script, 0o755)
    write(t.path('config'), b'[default]\ncredential_process = %s\n' % script.encode())
    t.good('check', URL, env=NONE | {'AWS_CONFIG_FILE': t.path('config')})
    write(script, b'#!/bin/sh\necho SECRET-of-the-script; echo oops >&2; exit 3\n')
    assert t.run('check', URL, env=NONE | {'AWS_CONFIG_FILE': t.path('config')}).status in (2, 3)
    assert s.requests


@case
def sources_that_are_not_built_are_named(t):
    _object(t)
    write(t.path('config'), b'[default]\nsso_session = corp\nsso_account_id = 1\n')
    result = t.run('check', URL, env=NONE | {'AWS_CONFIG_FILE': t.path('config')})
    assert result.status in (2, 3) and 'aws configure export-credentials' in result.err and 'hint:' in result.err, result
    write(t.path('key.json'), b'{"type": "service_account", "private_key": "SECRET-KEY"}')
    t.store(google=True)
    result = t.run('check', 'gs://train/x', env={'GOOGLE_APPLICATION_CREDENTIALS': t.path('key.json')} | GOOGLE_NONE)
    assert result.status in (2, 3) and 'gcloud auth' in result.err, result


GOOGLE_NONE = {'GS_ACCESS_KEY_ID': None, 'GS_SECRET_ACCESS_KEY': None}


@case
def tokens_of_google(t):
    s = t.store(google=True, tokens=['TOKEN-1', 'TOKEN-of-the-user'])
    s.put('train', 'x.tfrecord', read(DATA + 'images.tfrecord'))
    wanted = t.good('cat', DATA + 'images.tfrecord').out
    assert t.good('cat', 'gs://train/x.tfrecord', env={'CLOUDSDK_AUTH_ACCESS_TOKEN': 'TOKEN-of-the-user'}).out == wanted
    t.fails(3, 'check', 'gs://train/x.tfrecord', env={'CLOUDSDK_AUTH_ACCESS_TOKEN': 'TOKEN-wrong'}, says='401')
    service = t.server(services.Services())
    host = service.url.partition('//')[2]
    assert t.good('cat', 'gs://train/x.tfrecord', env={'GCE_METADATA_HOST': host, 'NO_GCE_CHECK': None}).out == wanted
    assert service.given == 1


@case
def temporary_keys_need_their_token(t):
    s = _object(t)
    s.keys = {ID: Keys(SECRET, token='TOKEN-s', expires=time.time() + 100)}
    t.good('check', URL, env={'AWS_SESSION_TOKEN': 'TOKEN-s'})
    t.fails(3, 'check', URL, says='InvalidToken|400', hint=False)
    s.keys = {ID: Keys(SECRET, token='TOKEN-s', expires=time.time() - 1)}
    t.fails(3, 'check', URL, env={'AWS_SESSION_TOKEN': 'TOKEN-s'}, says='[Ee]xpired')


@case
def proxies_work_as_in_curl(t):
    s = _object(t)
    proxy = t.server(services.Proxy())
    t.good('check', URL, env={'http_proxy': proxy.url})
    assert proxy.requests and len(s.requests) == len(proxy.requests)
    proxy.requests.clear()
    t.good('check', URL, env={'http_proxy': proxy.url, 'no_proxy': '127.0.0.1'})
    assert not proxy.requests


@case
def secrets_are_not_in_the_process_list(t):
    s = _object(t)
    s.inject(faults.stall(), times=None)
    child = t.start('check', '--timeout', '20', URL)
    while not s.requests:
        time.sleep(.01)
    with open('/proc/%d/cmdline' % child.pid, 'rb') as f:
        assert SECRET.encode() not in f.read()
    child.kill()
    child.communicate()


@case
def endpoints_of_the_vendors(t):
    """Without an endpoint the host is the vendor's; a proxy sees it, so that nothing leaves this machine."""
    proxy = t.server(services.Proxy())
    proxy.inject(lambda x: x.close(reset=True), times=None)
    base = {'AWS_ACCESS_KEY_ID': ID, 'AWS_SECRET_ACCESS_KEY': SECRET, 'https_proxy': proxy.url}
    for url, env, host in (('s3://photos/x', {}, 'photos.s3.us-east-1.amazonaws.com:443'),
                           ('s3://photos/x', {'AWS_REGION': 'eu-west-1'}, 'photos.s3.eu-west-1.amazonaws.com:443'),
                           ('s3://pho.tos/x', {}, 's3.us-east-1.amazonaws.com:443'), ('gs://photos/x', {}, 'storage.googleapis.com:443')):
        t.fails(3, 'check', '--timeout', '1', url, env=base | env, hint=False)
        assert {r.target for r in proxy.requests} == {host}, proxy.requests
        proxy.requests.clear()
