"""Credentials: each source, its order, renewal, and what is refused."""
import os
import time

from harness import DATA, ID, SECRET, case, read, write
from servers.services import Services
from servers.signature import Keys

PATH = DATA + 'images.tfrecord'


def given(n, **more):
    """The keys that Services gives out as its n-th."""
    return {'ID-%d' % n: Keys('SECRET-%d' % n, token='TOKEN-%d' % n, **more)}


def fill(t, **options):
    """A store with one object; none of its keys is in tfr's environment."""
    s = t.store(**options)
    s.put('train', 'x.tfrecord', read(PATH))
    return s


def expect_count(t, url='s3://train/x.tfrecord', **options):
    assert t.good('count', url, **options).out.split()[0] == b'15'


def sources(t, services):
    """The environments in which keys of the services are found."""
    write(t.path('identity'), b'web-identity\n')
    write(t.path('authorization'), b'open sesame\n')
    return {
        'instance': {'AWS_EC2_METADATA_DISABLED': None, 'AWS_EC2_METADATA_SERVICE_ENDPOINT': services.url + '/'},
        'container': {'AWS_CONTAINER_CREDENTIALS_FULL_URI': services.url + '/container',
                      'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE': t.path('authorization')},
        'web identity': {'AWS_ENDPOINT_URL_STS': services.url, 'AWS_ROLE_ARN': 'arn:aws:iam::1:role/r',
                         'AWS_WEB_IDENTITY_TOKEN_FILE': t.path('identity')},
    }


@case
def each_service_gives_keys(t):
    for name in sources(t, t.server(Services())):
        services = t.server(Services(authorization='open sesame'))
        fill(t, keys=given(1))
        expect_count(t, env=sources(t, services)[name])
        assert services.given == 1, '%s: asked %d times' % (name, services.given)


@case
def expired_keys_are_renewed_once(t):
    for name in sources(t, t.server(Services())):
        services = t.server(Services(authorization='open sesame'))
        s = fill(t, keys=given(1, expires=time.time() - 1) | given(2))
        expect_count(t, env=sources(t, services)[name])
        assert services.given == 2, '%s: asked %d times' % (name, services.given)
        s.keys = {}


@case
def profiles(t):
    fill(t, keys={ID: Keys(SECRET)})
    write(t.path('.aws/credentials'), b'[default]\naws_access_key_id = nobody\naws_secret_access_key = nothing\n'
          b'[mine]\naws_access_key_id = %s\naws_secret_access_key = %s\n' % (ID.encode(), SECRET.encode()))
    t.environment.pop('AWS_ACCESS_KEY_ID'), t.environment.pop('AWS_SECRET_ACCESS_KEY')
    expect_count(t, env={'AWS_PROFILE': 'mine'})
    t.fails(3, 'count', 's3://train/x.tfrecord', says='403 InvalidAccessKeyId')
    t.fails(2, 'count', 's3://train/x.tfrecord', env={'AWS_PROFILE': 'other'}, says="'other'", hint=False)


@case
def a_process_prints_keys(t):
    fill(t, keys={ID: Keys(SECRET)})
    write(t.path('print keys'), b'#!/bin/sh\necho \'{"Version": 1, "AccessKeyId": "%s", "SecretAccessKey": "%s"}\'\n' % (
        ID.encode(), SECRET.encode()))
    os.chmod(t.path('print keys'), 0o700)
    write(t.path('.aws/config'), b'[default]\ncredential_process = "%s" $(touch injected)\n' % t.path('print keys').encode())
    t.environment.pop('AWS_ACCESS_KEY_ID'), t.environment.pop('AWS_SECRET_ACCESS_KEY')
    expect_count(t)
    assert not os.path.exists(t.path('injected')) and not os.path.exists('injected')


@case
def what_is_not_supported_names_the_command(t):
    fill(t)
    t.environment.pop('AWS_ACCESS_KEY_ID'), t.environment.pop('AWS_SECRET_ACCESS_KEY')
    for line in 'sso_session = x', 'role_arn = x\nsource_profile = y', 'login_session = x':
        write(t.path('.aws/config'), b'[default]\n%s\n' % line.encode())
        t.fails(2, 'count', 's3://train/x.tfrecord', says='aws configure export-credentials')
    t.fails(2, 'count', 'gs://train/x.tfrecord', env={'GOOGLE_APPLICATION_CREDENTIALS': 'key.json'}, says='print-access-token')


@case
def wrong_keys_are_refused_once(t):
    s = fill(t)
    t.fails(3, 'count', 's3://train/x.tfrecord', env={'AWS_SECRET_ACCESS_KEY': 'wrong'}, says='403 SignatureDoesNotMatch')
    assert len(s.requests) <= 2, s.requests


@case
def nothing_is_signed_when_anonymous(t):
    services = t.server(Services())
    s = fill(t, public=True)
    for options, env in ((['--anonymous'], {}), ([], {'AWS_ACCESS_KEY_ID': None, 'AWS_SECRET_ACCESS_KEY': None})):
        t.good('count', *options, 's3://train/x.tfrecord', env={
            'AWS_EC2_METADATA_SERVICE_ENDPOINT': services.url, **env})
    assert not any('Authorization' in r.headers for r in s.requests)
    assert not services.given
    t.fails(3, 'count', '--anonymous', 's3://train/y.tfrecord', hint=False)


@case
def tokens_of_google(t):
    s = fill(t, google=True, tokens=['TOKEN-2'])
    url = 'gs://train/x.tfrecord'
    services = t.server(Services())
    host = services.url.removeprefix('http://')
    expect_count(t, url, env={'NO_GCE_CHECK': None, 'GCE_METADATA_HOST': host})
    assert services.given == 2, 'a token that is refused is replaced once, not %d times' % services.given
    expect_count(t, url, env={'CLOUDSDK_AUTH_ACCESS_TOKEN': 'TOKEN-2'})
    expect_count(t, url, env={'TFR_GS_TOKEN_COMMAND': '/bin/echo TOKEN-2'})
    assert all(r.headers['Authorization'].startswith('Bearer ') for r in s.requests)
    s.requests.clear()
    t.fails(3, 'count', url, env={'CLOUDSDK_AUTH_ACCESS_TOKEN': 'TOKEN-9'}, says='401')
    assert len(s.requests) <= 2, s.requests
