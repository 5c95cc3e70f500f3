"""Stand-ins for the services that hand out credentials, and a forward proxy; all keep what was requested."""
import json
import select
import socket
import time
import urllib.parse

from .web import Answer, Server


def _stamp(seconds):
    return time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(time.time() + seconds))


class Services(Server):
    """STS, IMDSv2, the container's credentials and Google's metadata, told apart by their paths.

    What they give out is ID-n, SECRET-n, TOKEN-n, with n counting from 1; `lifetime` is in seconds."""

    def __init__(self, lifetime=3600, authorization=None, **server):
        super().__init__(**server)
        self.lifetime, self.authorization, self.given = lifetime, authorization, 0

    def keys(self):
        self.given += 1
        return {'id': 'ID-%d' % self.given, 'secret': 'SECRET-%d' % self.given, 'token': 'TOKEN-%d' % self.given,
                'expires': _stamp(self.lifetime)}

    def answer(self, request):
        path = request.path
        form = dict(urllib.parse.parse_qsl(request.body.decode('utf-8', 'replace')))
        action = (form | request.parameters).get('Action')
        if action == 'AssumeRoleWithWebIdentity':
            return self.sts(form | request.parameters)
        if path == '/latest/api/token':
            if request.method != 'PUT' or 'X-aws-ec2-metadata-token-ttl-seconds' not in request.headers:
                return Answer(400)
            return Answer(200, {}, b'SESSION')
        if path.startswith('/latest/meta-data/'):
            return self.imds(request)
        if path == '/container':
            if self.authorization and request.headers.get('Authorization') != self.authorization:
                return Answer(401, {}, b'{"code":"Unauthorized","message":"no token"}')
            return self.json(self.keys())
        if path == '/computeMetadata/v1/instance/service-accounts/default/token':
            if request.headers.get('Metadata-Flavor') != 'Google':
                return Answer(403)
            self.given += 1
            return Answer(200, {'Metadata-Flavor': 'Google', 'Content-Type': 'application/json'}, json.dumps(
                {'access_token': 'TOKEN-%d' % self.given, 'expires_in': self.lifetime, 'token_type': 'Bearer'}).encode())
        return Answer(404)

    def sts(self, form):
        if form.get('WebIdentityToken') != 'web-identity' or not form.get('RoleArn', '').startswith('arn:aws:iam::'):
            return Answer(400, {'Content-Type': 'text/xml'}, b'<ErrorResponse><Error><Code>InvalidIdentityToken</Code><Message>'
                          b'wrong token</Message></Error><RequestId>STS-1</RequestId></ErrorResponse>')
        k = self.keys()
        return Answer(200, {'Content-Type': 'text/xml'}, (
            '<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult>'
            '<Credentials><AccessKeyId>%(id)s</AccessKeyId><SecretAccessKey>%(secret)s</SecretAccessKey><SessionToken>%(token)s'
            '</SessionToken><Expiration>%(expires)s</Expiration></Credentials></AssumeRoleWithWebIdentityResult>'
            '</AssumeRoleWithWebIdentityResponse>' % k).encode())

    def imds(self, request):
        if request.headers.get('X-aws-ec2-metadata-token') != 'SESSION':
            return Answer(401)
        if request.path.endswith('/security-credentials/'):
            return Answer(200, {'Content-Type': 'text/plain'}, b'the-role')
        return self.json(self.keys(), Code='Success', Type='AWS-HMAC') if request.path.endswith('/the-role') else Answer(404)

    def json(self, k, **more):
        text = {'AccessKeyId': k['id'], 'SecretAccessKey': k['secret'], 'Token': k['token'], 'Expiration': k['expires']}
        return Answer(200, {'Content-Type': 'application/json'}, json.dumps(text | more | {'Token': k['token']}).encode())


class Proxy(Server):
    """A forward proxy for http (absolute targets) and https (CONNECT)."""

    def serve(self, exchange):
        request = exchange.request
        if request.method == 'CONNECT':
            host, _, port = request.target.rpartition(':')
            self.tunnel(exchange, (host, int(port)))
            return
        parts = urllib.parse.urlsplit(request.target)
        with socket.create_connection((parts.hostname, parts.port or 80)) as there:
            lines = ['%s %s HTTP/1.1' % (request.method, urllib.parse.urlunsplit(('', '', parts.path or '/', parts.query, '')))]
            lines += ['%s: %s' % h for h in request.headers.items() if not h[0].lower().startswith(('proxy-', 'connection'))]
            there.sendall(('\r\n'.join(lines) + '\r\nConnection: close\r\n\r\n').encode('latin-1') + request.body)
            while data := there.recv(65536):
                exchange.handler.connection.sendall(data)
        exchange.close()

    def tunnel(self, exchange, address):
        here = exchange.handler.connection
        with socket.create_connection(address) as there:
            here.sendall(b'HTTP/1.1 200 Connection established\r\n\r\n')
            while not self.ending.is_set():
                for s in select.select([here, there], [], [], .2)[0]:
                    data = s.recv(65536)
                    if not data:
                        exchange.close()
                        return
                    (there if s is here else here).sendall(data)
