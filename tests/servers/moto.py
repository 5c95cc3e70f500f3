"""moto's server: S3 as most programs of the world test against it.

It verifies signatures and preconditions, and stores wrong checksums with 200."""
import json
import sys

from .process import Program, Unavailable

ALL = {'Version': '2012-10-17', 'Statement': [{'Effect': 'Allow', 'Action': '*', 'Resource': '*'}]}


class Moto:
    """signed: requests are verified, and `key`, `secret` are the only credentials."""

    def __init__(self, folder, signed=True):
        try:
            import boto3  # noqa: F401
            import moto.server  # noqa: F401
        except ImportError as e:
            raise Unavailable('no moto here: %s' % e) from None
        environment = {'PATH': '/usr/bin:/bin', 'INITIAL_NO_AUTH_ACTION_COUNT': '3' if signed else 'inf'}
        self.program = Program([sys.executable, '-m', 'moto.server', '-H', '127.0.0.1', '-p', '0'],
                               '%s/moto-%s.log' % (folder, 'signed' if signed else 'open'), env=environment)
        self.url = self.program.wait_for(r'Running on (http://127\.0\.0\.1:\d+)')[1]
        self.key, self.secret = 'none', 'none'
        if signed:
            iam = self.client('iam')
            iam.create_user(UserName='tfr')
            made = iam.create_access_key(UserName='tfr')['AccessKey']
            iam.put_user_policy(UserName='tfr', PolicyName='all', PolicyDocument=json.dumps(ALL))
            self.key, self.secret = made['AccessKeyId'], made['SecretAccessKey']

    def client(self, service='s3'):
        import boto3
        return boto3.client(service, endpoint_url=self.url, region_name='us-east-1', aws_access_key_id=self.key,
                            aws_secret_access_key=self.secret)

    def environment(self):
        return {'AWS_ENDPOINT_URL': self.url, 'AWS_ACCESS_KEY_ID': self.key, 'AWS_SECRET_ACCESS_KEY': self.secret}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.program.end()
