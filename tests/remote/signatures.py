"""Compares the signatures of random requests with botocore's: AWS4-HMAC-SHA256, and with the same code under other names
GOOG4-HMAC-SHA256, of which Google says that it differs in nothing else.

usage: signatures.py SIGN_REQUESTS [COUNT [SEED]]"""
import datetime
import hashlib
import hmac
import json
import random
import subprocess
import sys
import urllib.parse

import botocore.auth
import botocore.awsrequest
import botocore.credentials

CHARACTERS = 'abcXYZ019-_.~/ !"#$%&\'()*+,:;<=>?@[\\]^`{|}\x01\x7fäß€日本𝄞'


class Amazon(botocore.auth.S3SigV4Auth):
    """botocore's, with the hash of the body as it is given."""
    sum = ''

    def payload(self, request):
        return self.sum


class Google(Amazon):
    """The names of Google Cloud Storage."""

    def _google(self, text):
        return text.replace('AWS4-HMAC', 'GOOG4-HMAC').replace('aws4_request', 'goog4_request')

    def credential_scope(self, request):
        return self._google(super().credential_scope(request))

    def scope(self, request):
        return self._google(super().scope(request))

    def string_to_sign(self, request, canonical_request):
        return self._google(super().string_to_sign(request, canonical_request))

    def signature(self, string_to_sign, request):
        key = ('GOOG4' + self.credentials.secret_key).encode()
        for part in (request.context['timestamp'][:8], self._region_name, self._service_name, 'goog4_request'):
            key = hmac.new(key, part.encode(), hashlib.sha256).digest()
        return hmac.new(key, string_to_sign.encode(), hashlib.sha256).hexdigest()


def word(r, most, characters=CHARACTERS, least=0):
    return ''.join(r.choice(characters) for _ in range(r.randint(least, most)))


def make_case(r):
    """One request, as sign_requests reads it."""
    names = r.sample(['prefix', 'delimiter', 'uploads', 'partNumber', 'uploadId', 'list-type', 'list-type2', 'list', 'a', 'A', 'ä', 'x y', 'x'],
                     r.choice((0, 0, 1, 2, 3, 6)))
    headers = ['Range: bytes=%d-%d' % (r.randint(0, 9), r.randint(10, 10 ** 12))] if r.random() < .4 else []
    headers += ['If-None-Match: *'] if r.random() < .2 else []
    headers += ['If-Match: "%s"' % word(r, 32, '0123456789abcdef-')] if r.random() < .2 else []
    headers += ['Content-MD5: 1B2M2Y8AsgTpgAmY7PhCfg=='] if r.random() < .2 else []
    headers += ['X-Amz-Meta-%s:%s' % (word(r, 9, 'aB-z9', 1), ' ' * r.randint(0, 3) + word(r, 20, 'a b  c,;=', 1))] if r.random() < .3 else []
    gcs = r.random() < .3
    return {
        'scheme': 'gcs' if gcs else 'aws', 'method': r.choice(('GET', 'HEAD', 'PUT', 'POST', 'DELETE')), 'key': word(r, 60),
        'host': r.choice(('storage.googleapis.com', 'b.s3.eu-west-1.amazonaws.com', '127.0.0.1:9000', 'minio.example:81')),
        'query': [[name, r.choice((None, word(r, 30)))] for name in names], 'headers': headers,
        'payload': r.choice(('UNSIGNED-PAYLOAD', hashlib.sha256(r.randbytes(9)).hexdigest())),
        'id': word(r, 20, 'ABCDEF0123456789', 16), 'secret': word(r, 40, 'abcXYZ0189+/=', 20),
        'token': word(r, 400, 'abcXYZ0189+/=', 100) if r.random() < .3 and not gcs else None,
        'region': r.choice(('us-east-1', 'eu-central-1', 'auto', 'cn-north-1')), 'time': r.randint(0, 2 ** 32)}


def expect(case):
    """The URL from the path on, and the fields, as botocore makes them."""
    def quote(text):
        return urllib.parse.quote(text, safe='-_.~')
    # Parameters are sorted by their names first, and '=' sorts after digits.
    query = '&'.join('='.join(p) for p in sorted((quote(n), quote(v or '')) for n, v in case['query']))
    path = '/' + urllib.parse.quote(case['key'], safe='-_.~/') + ('?' + query if query else '')
    gcs = case['scheme'] == 'gcs'
    signer = (Google if gcs else Amazon)(
        botocore.credentials.Credentials(case['id'], case['secret'], case['token']), 'storage' if gcs else 's3', case['region'])
    signer.sum = case['payload']
    request = botocore.awsrequest.AWSRequest(case['method'], 'https://' + case['host'] + path)
    for line in case['headers']:
        name, value = line.split(':', 1)
        request.headers[name] = value
    now = datetime.datetime.fromtimestamp(case['time'], datetime.timezone.utc).replace(tzinfo=None)
    stamp = now.strftime('%Y%m%dT%H%M%SZ')
    fields = {'x-amz-date': stamp, 'x-amz-content-sha256': case['payload']}
    if case['token']:
        fields['x-amz-security-token'] = case['token']
    if gcs:
        fields = {name.replace('amz', 'goog'): value for name, value in fields.items()}
    for name, value in fields.items():
        request.headers[name] = value
    request.context['timestamp'] = stamp
    canonical = signer.canonical_request(request)
    signed = signer.signed_headers(signer.headers_to_sign(request))
    signature = signer.signature(signer.string_to_sign(request, canonical), request)
    authorization = '%s Credential=%s, SignedHeaders=%s, Signature=%s' % (
        'GOOG4-HMAC-SHA256' if gcs else 'AWS4-HMAC-SHA256', signer.scope(request), signed, signature)
    return [path] + [f'{name}: {value}' for name, value in fields.items()] + ['Authorization: ' + authorization]


def main():
    program, count, seed = sys.argv[1], int((sys.argv[2:] or ['1000'])[0]), int((sys.argv[3:] or ['1'])[0])
    r = random.Random(seed)
    cases = [make_case(r) for _ in range(count)]
    lines = subprocess.run([program], input=''.join(json.dumps(c) + '\n' for c in cases), capture_output=True, text=True,
                           check=True).stdout.split('\n')[:-1]
    wrong = [i for i in range(count) if i >= len(lines) or lines[i].split('\t') != expect(cases[i])]
    for i in wrong[:3]:
        print('case', json.dumps(cases[i]), 'got', lines[i:i + 1], 'expected', expect(cases[i]), sep='\n  ')
    print(f'{count - len(wrong)} of {count} signatures as botocore {botocore.__version__} computes them')
    return 1 if wrong or len(lines) != count else 0


if __name__ == '__main__':
    sys.exit(main())
