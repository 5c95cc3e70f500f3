"""A strict object store: the requests of S3, and those of Google's XML API, that tfr may send.

It verifies each checksum, precondition and signature that a request has, with the vendors' error codes.  What it does
not know it refuses, so that a request that works here by accident is unlikely.

    with Store(keys={'AKID': Keys('secret')}) as store:
        store.put('bucket', 'key', b'...')
"""
import base64
import binascii
import email.utils
import hashlib
import json
import re
import threading
import time
import urllib.parse
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from . import signature
from .checksum import crc32c_base64
from .signature import Refused
from .web import Answer, Server

MIB = 1 << 20


def error_body(code, message, request):
    return ('<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>%s</Code><Message>%s</Message><Resource>%s</Resource>'
            '<RequestId>REQ-%d</RequestId><HostId>host</HostId></Error>' %
            (code, escape(message), escape(request.path), id(request) % 10 ** 6)).encode()


def metadata(request):
    """What a client stores with an object and gets back with it."""
    return {k: v for k, v in request.headers.items() if re.match('x-(amz|goog)-meta-', k, re.I)}


class Object:
    def __init__(self, data, etag=None, meta=()):
        self.meta = dict(meta)
        self.data, self.time = data, time.time()
        self.etag = etag or '"%s"' % (hashlib.md5(data).hexdigest() if isinstance(data, bytes) else 'generated-%d' % len(data))
        self.generation = time.time_ns() // 1000


class Upload:
    def __init__(self, bucket, key, checksum, meta):
        self.meta, self.bucket, self.key, self.checksum, self.parts, self.time = meta, bucket, key, checksum, {}, time.time()


class Store(Server):
    """google: the rules of Google's XML API.  keys: {id: Keys}, tokens: bearer tokens; without either, all is public.
    public: reading needs no signature.  conditional: False answers 501 to If-None-Match, and None ignores it.  opaque: ETags are no MD5, as with SSE-KMS.
    root: that of the answer to the start of an upload.  equal_parts: as R2.
    keep: False discards contents, for measurements.
    range_status: 200 answers ranges as rclone does.  strict_ranges: a range past the end is 400, as nanio has it.
    if_match: False ignores If-Match.  folders: lists the keys below a folder before its neighbours, as SeaweedFS does.
    encodes: False lists keys raw, control characters too, as Ceph does."""

    def __init__(self, keys=None, tokens=(), google=False, region='us-east-1', public=False, conditional=True,
                 equal_parts=False, least_part=5 * MIB, page=1000, echo=True, keep=True, opaque=False,
                 root='InitiateMultipartUploadResult', range_status=206, strict_ranges=False,
                 if_match=True, folders=False, encodes=True, **server):
        super().__init__(**server)
        self.keys, self.tokens, self.google, self.region, self.public = keys or {}, set(tokens), google, region, public
        self.conditional, self.equal_parts, self.least_part, self.page = conditional, equal_parts, least_part, page
        self.echo, self.keep, self.opaque, self.root = echo, keep, opaque, root
        self.range_status, self.strict_ranges = range_status, strict_ranges
        self.if_match, self.folders, self.encodes = if_match, folders, encodes
        self.objects, self.uploads, self.finished, self.serial = {}, {}, {}, 0
        self.state = threading.RLock()

    def put(self, bucket, key, data, etag=None, meta=()):
        if self.opaque:
            etag = '"%032x"' % (time.time_ns() ^ id(data))
        self.objects[bucket, key] = Object(data, etag, meta)

    def get(self, bucket, key):
        found = self.objects.get((bucket, key))
        return found and bytes(found.data)

    def keys_of(self, bucket):
        return sorted(k for b, k in self.objects if b == bucket)

    # --- requests ---

    def answer(self, request):
        try:
            self.authorise(request)
            signature.verify_payload(request)
            return self.act(request)
        except Refused as e:
            return Answer(e.status, {'Content-Type': 'application/xml', 'x-amz-request-id': 'REQ-%d' % (id(request) % 10 ** 6),
                                     **e.headers}, b'' if request.method == 'HEAD' else error_body(e.code, e.message, request))

    def authorise(self, request):
        given = request.headers.get('Authorization')
        if not self.keys and not self.tokens:
            return
        if not given:
            if self.public and request.method in ('GET', 'HEAD'):
                return
            raise Refused(403, 'AccessDenied', 'Access Denied')
        if given.startswith('Bearer '):
            if given[7:] not in self.tokens:
                raise Refused(401, 'AuthenticationRequired', 'Invalid Credentials')
            return
        if given.startswith('GOOG4') != self.google:
            raise Refused(400, 'InvalidArgument', 'Unsupported Authorization Type')
        signature.verify(request, self.keys, 'auto' if self.google else self.region)

    def act(self, request):
        host = request.headers.get('Host', '').split(':')[0]
        path = urllib.parse.unquote(request.path, errors='surrogateescape')
        if re.fullmatch(r'[a-z0-9.-]+\.localhost', host):
            bucket, key = host[:-len('.localhost')], path[1:]
        else:
            bucket, _, key = path[1:].partition('/')
        request.bucket, request.key = bucket, key
        json_name = re.fullmatch(r'(/download)?/storage/v1/b/([^/]+)/o/(.+)', path)
        if json_name and self.google:
            return self.read_json(request, *json_name.groups())
        with self.state:
            kind = [n for n in ('uploads', 'uploadId', 'list-type') if n in request.parameters]
            call = {(True, 'GET', 'list-type'): self.list, (True, 'GET', 'uploads'): self.list_uploads,
                    (False, 'POST', 'uploads'): self.initiate, (False, 'PUT', 'uploadId'): self.put_part,
                    (False, 'GET', 'uploadId'): self.list_parts, (False, 'POST', 'uploadId'): self.complete,
                    (False, 'DELETE', 'uploadId'): self.abort, (False, 'PUT', None): self.put_object,
                    (False, 'GET', None): self.read, (False, 'HEAD', None): self.read,
                    (False, 'DELETE', None): self.delete}.get((not key, request.method, kind[0] if kind else None))
            if not call:
                raise Refused(501, 'NotImplemented', 'A header or query you provided implies functionality that is not implemented.')
            return call(request)

    def xml(self, name, text, **headers):
        return Answer(200, {'Content-Type': 'application/xml', **headers},
                      ('<?xml version="1.0" encoding="UTF-8"?>\n<%s xmlns="http://s3.amazonaws.com/doc/2006-03-01/">%s</%s>'
                       % (name, text, name)).encode('utf-8', 'surrogateescape'))

    # --- reading ---

    def read_json(self, request, download, bucket, key):
        """What gcsfs needs of GCS's JSON interface: docs.cloud.google.com/storage/docs/json_api/v1/objects/get"""
        request.bucket, request.key = bucket, key
        found = self.objects.get((bucket, key))
        if found and not download and request.parameters.get('alt') != 'media':
            return Answer(200, {'Content-Type': 'application/json'}, json.dumps({
                'kind': 'storage#object', 'bucket': bucket, 'name': key, 'size': str(len(found.data)), 'etag': found.etag,
                'generation': found.generation, 'mediaLink': 'http://%s/download%s?alt=media' % (request.headers['Host'], request.path),
                'timeCreated': '2026-01-01T00:00:00Z', 'updated': '2026-01-01T00:00:00Z'}).encode())
        return self.read(request)

    def read(self, request):
        found = self.objects.get((request.bucket, request.key))
        if not found:
            raise Refused(404, 'NoSuchKey', 'The specified key does not exist.')
        size, part = len(found.data), request.range()
        headers = {'ETag': found.etag, 'Last-Modified': email.utils.formatdate(found.time, usegmt=True), 'Accept-Ranges': 'bytes',
                   'x-amz-request-id': 'REQ-%d' % (id(request) % 10 ** 6), 'Content-Type': 'application/octet-stream'}
        headers |= found.meta
        if self.google:
            headers['x-goog-generation'] = found.generation
        if self.if_match and request.headers.get('If-Match', found.etag) != found.etag:
            raise Refused(412, 'PreconditionFailed', 'At least one of the pre-conditions you specified did not hold')
        if not part:
            return Answer(200, headers | {'Content-Length': size}, found.data if request.method == 'GET' else b'')
        first, last = part
        if self.strict_ranges and (last or first) >= size:
            raise Refused(400, 'InvalidArgument', 'invalid byte range %d-%s for size %d' % (first, last, size))
        if first >= size:
            raise Refused(416, 'InvalidRange', 'The requested range is not satisfiable', **{'Content-Range': 'bytes */%d' % size})
        last = size - 1 if last is None else min(last, size - 1)
        return Answer(self.range_status, headers | {'Content-Length': last + 1 - first, 'Content-Range': 'bytes %d-%d/%d' % (first, last, size)},
                      found.data[first:last + 1])

    # --- writing ---

    def must_be_new(self, request):
        """Evaluates the preconditions of a write."""
        star, generation = request.headers.get('If-None-Match'), request.headers.get('x-goog-if-generation-match')
        if self.google and star or not self.google and generation or star not in (None, '*') or generation not in (None, '0'):
            raise Refused(400, 'InvalidArgument', 'This precondition is not supported.')
        if self.conditional is None:
            return
        if star and not self.conditional:
            raise Refused(501, 'NotImplemented', 'A header you provided implies functionality that is not implemented.')
        if (star or generation) and (request.bucket, request.key) in self.objects:
            raise Refused(412, 'PreconditionFailed', 'At least one of the pre-conditions you specified did not hold')

    def verify_checksums(self, request):
        """The headers that echo the checksum of the body."""
        sums = {'crc32c': request.headers.get('x-amz-checksum-crc32c'), 'md5': request.headers.get('Content-MD5')}
        for item in request.headers.get('x-goog-hash', '').split(','):
            name, _, value = item.strip().partition('=')
            if name:
                sums[name] = value
        echo = {}
        for name, claimed in sums.items():
            if claimed is None:
                continue
            try:
                good = len(base64.b64decode(claimed, validate=True)) == {'crc32c': 4, 'md5': 16}.get(name)
            except binascii.Error:
                good = False
            if not good:
                raise Refused(400, 'InvalidDigest', 'The %s you specified is not valid.' % name)
            actual = (crc32c_base64(request.body) if name == 'crc32c' else
                      base64.b64encode(hashlib.md5(request.body).digest()).decode())
            if claimed != actual:
                raise Refused(400, 'BadDigest', 'The %s you specified did not match the calculated checksum.' % name)
            if name == 'crc32c' and self.echo:
                echo = {'x-goog-hash': 'crc32c=' + actual} if self.google else {'x-amz-checksum-crc32c': actual}
        return echo

    def put_object(self, request):
        echo = self.verify_checksums(request)
        self.must_be_new(request)
        self.put(request.bucket, request.key, request.body if self.keep else b'', meta=metadata(request))
        return Answer(200, {'ETag': self.objects[request.bucket, request.key].etag, **echo})

    def delete(self, request):
        found = self.objects.pop((request.bucket, request.key), None)
        if self.google and not found:
            raise Refused(404, 'NoSuchKey', 'The specified key does not exist.')
        return Answer(204)

    # --- multipart uploads ---

    def initiate(self, request):
        self.serial += 1
        name = 'upload-%d.a+b/=' % self.serial  # needs encoding in a query
        self.uploads[name] = Upload(request.bucket, request.key, request.headers.get('x-amz-checksum-algorithm'), metadata(request))
        return self.xml(self.root, '<Bucket>%s</Bucket><Key>%s</Key><UploadId>%s</UploadId>' % (
            request.bucket, escape(request.key), name))

    def upload_of(self, request):
        found = self.uploads.get(request.parameters['uploadId'])
        if not found or (found.bucket, found.key) != (request.bucket, request.key):
            raise Refused(404, 'NoSuchUpload', 'The specified multipart upload does not exist.')
        return found

    def put_part(self, request):
        upload, number = self.upload_of(request), int(request.parameters['partNumber'])
        if not 1 <= number <= 10000:
            raise Refused(400, 'InvalidArgument', 'Part number must be an integer between 1 and 10000, inclusive')
        echo = self.verify_checksums(request)
        etag = '"%s"' % hashlib.md5(request.body).hexdigest()
        upload.parts[number] = (etag, len(request.body), request.body if self.keep else b'', crc32c_base64(request.body))
        return Answer(200, {'ETag': etag, **echo})

    def list_parts(self, request):
        upload, after = self.upload_of(request), int(request.parameters.get('part-number-marker', 0))
        numbers = sorted(n for n in upload.parts if n > after)
        page = numbers[:self.page]
        return self.xml('ListPartsResult', '<IsTruncated>%s</IsTruncated><NextPartNumberMarker>%d</NextPartNumberMarker>' % (
            str(len(page) < len(numbers)).lower(), page[-1] if page else 0) + ''.join(
                '<Part><PartNumber>%d</PartNumber><ETag>%s</ETag><Size>%d</Size><ChecksumCRC32C>%s</ChecksumCRC32C></Part>' % (
                    n, escape(upload.parts[n][0]), upload.parts[n][1], upload.parts[n][3]) for n in page))

    def complete(self, request):
        name = request.parameters['uploadId']
        if not self.google and name in self.finished and self.objects.get((request.bucket, request.key)) is self.finished[name]:
            return self.completed(request)  # repeated after its answer was lost: S3 answers as before
        upload = self.upload_of(request)
        self.must_be_new(request)
        if self.google and request.headers.get('x-goog-if-generation-match'):
            raise Refused(400, 'InvalidArgument', 'Multipart uploads take no preconditions.')
        try:
            listed = [{child.tag.rpartition('}')[2]: child.text for child in part} for part in ElementTree.fromstring(request.body)]
        except ElementTree.ParseError:
            raise Refused(400, 'MalformedXML', 'The XML you provided was not well-formed') from None
        numbers = [int(p['PartNumber']) for p in listed]
        if not numbers or numbers != sorted(set(numbers)):
            raise Refused(400, 'InvalidPartOrder', 'The list of parts was not in ascending order.')
        for part, number in zip(listed, numbers):
            self.verify_part(upload, part, number, number == numbers[-1])
        sizes = [upload.parts[n][1] for n in numbers]
        if self.equal_parts and len(set(sizes[:-1])) > 1 or self.equal_parts and sizes[-1] > sizes[0]:
            raise Refused(400, 'InvalidPart', 'All non-trailing parts must have the same length.')
        md5 = hashlib.md5(b''.join(bytes.fromhex(upload.parts[n][0].strip('"')) for n in numbers)).hexdigest()
        self.put(request.bucket, request.key, b''.join(upload.parts[n][2] for n in numbers), '"%s-%d"' % (md5, len(numbers)), upload.meta)
        self.finished[name] = self.objects[request.bucket, request.key]
        del self.uploads[name]
        return self.completed(request)

    def completed(self, request):
        return self.xml('CompleteMultipartUploadResult', '<Bucket>%s</Bucket><Key>%s</Key><ETag>%s</ETag>' % (
            request.bucket, escape(request.key), escape(self.objects[request.bucket, request.key].etag)))

    def verify_part(self, upload, part, number, last):
        held = upload.parts.get(number)
        if not held or part.get('ETag', '').strip('"') != held[0].strip('"'):
            raise Refused(400, 'InvalidPart', 'One or more of the specified parts could not be found.')
        if upload.checksum == 'CRC32C' and 'ChecksumCRC32C' not in part:
            raise Refused(400, 'InvalidRequest', 'The upload was created using a crc32c checksum. The complete request must '
                                                 'include the checksum for each part.')
        if part.get('ChecksumCRC32C', held[3]) != held[3]:
            raise Refused(400, 'InvalidPart', 'The checksum of part %d does not match.' % number)
        if not last and held[1] < self.least_part:
            raise Refused(400, 'EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size')

    def abort(self, request):
        self.upload_of(request)
        del self.uploads[request.parameters['uploadId']]
        return Answer(204)

    # --- listings ---

    def list_uploads(self, request):
        prefix = request.parameters.get('prefix', '')
        stamp = '%Y-%m-%dT%H:%M:%S.000Z'
        return self.xml('ListMultipartUploadsResult', '<IsTruncated>false</IsTruncated>' + ''.join(
            '<Upload><Key>%s</Key><UploadId>%s</UploadId><Initiated>%s</Initiated></Upload>' % (
                self.shown(request, u.key), name, time.strftime(stamp, time.gmtime(u.time)))
            for name, u in sorted(self.uploads.items()) if u.bucket == request.bucket and u.key.startswith(prefix)))

    def shown(self, request, key):
        if self.encodes and request.parameters.get('encoding-type') == 'url':
            return urllib.parse.quote(key, errors='surrogateescape')
        return escape(key)

    def order(self, key):
        """Where a key stands in a listing."""
        raw = key.encode('utf-8', 'surrogateescape')
        return raw.replace(b'/', b'\0') if self.folders else raw

    def list(self, request):
        if request.parameters['list-type'] != '2':
            raise Refused(400, 'InvalidArgument', 'Unsupported list-type')
        prefix, delimiter = request.parameters.get('prefix', ''), request.parameters.get('delimiter', '')
        after = request.parameters.get('continuation-token', '')
        most = min(self.page, int(request.parameters.get('max-keys', 1000)))
        after = base64.b64decode(after).decode('utf-8', 'surrogateescape') if after else request.parameters.get('start-after', '')
        rows, token = {}, ''
        for key in sorted((k for b, k in self.objects if b == request.bucket and k.startswith(prefix)), key=self.order):
            cut = key.find(delimiter, len(prefix)) if delimiter else -1
            name = key[:cut + len(delimiter)] if cut >= 0 else key
            if self.order(name) <= self.order(after) or name in rows:
                continue
            if len(rows) == most:
                token = base64.b64encode(list(rows)[-1].encode('utf-8', 'surrogateescape')).decode()
                break
            rows[name] = None if cut >= 0 else self.objects[request.bucket, key]
        stamp = '%Y-%m-%dT%H:%M:%S.000Z'
        text = ''.join(
            '<Contents><Key>%s</Key><LastModified>%s</LastModified><ETag>%s</ETag><Size>%d</Size></Contents>' % (
                self.shown(request, name), time.strftime(stamp, time.gmtime(o.time)), escape(o.etag), len(o.data)) if o else
            '<CommonPrefixes><Prefix>%s</Prefix></CommonPrefixes>' % self.shown(request, name) for name, o in rows.items())
        return self.xml('ListBucketResult', '<Name>%s</Name><Prefix>%s</Prefix><KeyCount>%d</KeyCount><MaxKeys>%d</MaxKeys>%s'
                        '<IsTruncated>%s</IsTruncated>%s%s' % (
                            request.bucket, self.shown(request, prefix), len(rows), most,
                            '<EncodingType>url</EncodingType>' if self.encodes and request.parameters.get('encoding-type') == 'url' else '',
                            str(bool(token)).lower(), '<NextContinuationToken>%s</NextContinuationToken>' % token if token else '',
                            text))
