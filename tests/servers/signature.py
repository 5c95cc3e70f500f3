"""Verifies signatures of requests, AWS4-HMAC-SHA256 and GOOG4-HMAC-SHA256.

From docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html and
cloud.google.com/storage/docs/authentication/signatures; not from the code that is tested."""
import calendar
import hashlib
import hmac
import re
import time
import urllib.parse


class Refused(Exception):
    """(status, code, message), and headers of the answer."""

    def __init__(self, status, code, message, **headers):
        super().__init__(status, code, message)
        self.status, self.code, self.message, self.headers = status, code, message, headers


class Keys:
    """The secret of a key id; `token` is demanded beside it, and `expires` is on the clock of time.time()."""

    def __init__(self, secret, token=None, expires=None):
        self.secret, self.token, self.expires = secret, token, expires


def _quote(text, safe='-_.~'):
    return urllib.parse.quote(text, safe=safe)


def canonical(request, names):
    query = sorted((_quote(urllib.parse.unquote_to_bytes(k)), _quote(urllib.parse.unquote_to_bytes(v)))
                   for k, _, v in (p.partition('=') for p in request.query.split('&') if p))
    values = [' '.join(', '.join(request.headers.get_all(n, [''])).split()) for n in names]
    return '\n'.join([
        request.method, _quote(urllib.parse.unquote_to_bytes(request.path), '-_.~/'), '&'.join('='.join(q) for q in query),
        ''.join('%s:%s\n' % pair for pair in zip(names, values)), ';'.join(names),
        request.headers.get('x-amz-content-sha256') or request.headers.get('x-goog-content-sha256') or 'UNSIGNED-PAYLOAD'])


def verify(request, keys, region, service='s3'):
    """Raises Refused unless the request is signed by one of the keys."""
    text = request.headers['Authorization']
    found = re.fullmatch(r'(AWS4|GOOG4)-HMAC-SHA256 Credential=([^,/]+)/(\d{8})/([^/,]*)/([^/,]*)/(aws4|goog4)_request, ?'
                         r'SignedHeaders=([^,]*), ?Signature=([0-9a-f]{64})', text)
    if not found:
        raise Refused(400, 'AuthorizationHeaderMalformed', 'The authorization header is malformed.')
    scheme, key, day, scope_region, scope_service, _, signed, signature = found.groups()
    prefix = 'x-amz-' if scheme == 'AWS4' else 'x-goog-'
    stamp = request.headers.get(prefix + 'date', '')
    if key not in keys:
        raise Refused(403, 'InvalidAccessKeyId', 'The access key Id you provided does not exist in our records.')
    if region not in (scope_region, 'auto') or scope_service != ('s3' if scheme == 'AWS4' and service == 's3' else
                                                                 'storage' if scheme == 'GOOG4' else service):
        raise Refused(400, 'AuthorizationHeaderMalformed',
                      "The authorization header is malformed; the region '%s' is wrong; expecting '%s'" % (scope_region, region),
                      **{'x-amz-bucket-region': region})
    names = signed.split(';')
    must = {'host'} | {n.lower() for n in request.headers if n.lower().startswith((prefix, 'x-amz-', 'content-md5'))}
    if names != sorted(names) or not must <= set(names):
        raise Refused(403, 'AccessDenied', 'There were headers present in the request which were not signed: %s' %
                      ', '.join(sorted(must - set(names))))
    if not re.fullmatch(r'\d{8}T\d{6}Z', stamp) or not stamp.startswith(day):
        raise Refused(403, 'AccessDenied', 'The date of the request is not valid.')
    if abs(calendar.timegm(time.strptime(stamp, '%Y%m%dT%H%M%SZ')) - time.time()) > 900:
        raise Refused(403, 'RequestTimeTooSkewed', 'The difference between the request time and the current time is too large.')
    final = scheme.lower() + '_request'
    to_sign = '\n'.join([scheme + '-HMAC-SHA256', stamp, '/'.join([day, scope_region, scope_service, final]),
                         hashlib.sha256(canonical(request, names).encode()).hexdigest()])
    step = (scheme + keys[key].secret).encode()
    for part in (day, scope_region, scope_service, final, to_sign):
        step = hmac.new(step, part.encode(), hashlib.sha256).digest()
    if not hmac.compare_digest(step.hex(), signature):
        raise Refused(403, 'SignatureDoesNotMatch', 'The request signature we calculated does not match the signature you provided.')
    if keys[key].token != request.headers.get(prefix + 'security-token'):
        raise Refused(400, 'InvalidToken', 'The provided token is malformed or otherwise invalid.')
    if keys[key].expires is not None and keys[key].expires <= time.time():
        raise Refused(400, 'ExpiredToken', 'The provided token has expired.')


def verify_payload(request):
    """x-amz-content-sha256 names the body that arrived."""
    claimed = request.headers.get('x-amz-content-sha256')
    if claimed and claimed != 'UNSIGNED-PAYLOAD' and claimed != hashlib.sha256(request.body).hexdigest():
        raise Refused(400, 'XAmzContentSHA256Mismatch', "The provided 'x-amz-content-sha256' header does not match what was computed.")
