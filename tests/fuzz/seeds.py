"""Writes what the targets of tests/fuzz begin with to FOLDER/TARGET/: the small files of tests/data, in the form that each
target takes, and short texts of each grammar.

usage: seeds.py FOLDER"""
import base64
import gzip
import io
import json
import pathlib
import struct
import sys
import tarfile
import zipfile
import zlib

DATA = pathlib.Path(__file__).resolve().parent.parent / 'data'
sys.path.insert(0, str(DATA))
import gifs  # noqa: E402
import records as framing  # noqa: E402
CLI = DATA.parent / 'cli'
LARGEST = 64 << 10


def files(*patterns):
    """The bytes of small files of tests/data."""
    for pattern in patterns:
        for path in sorted(DATA.glob(pattern)):
            if path.is_file() and path.stat().st_size <= LARGEST:
                yield path.read_bytes()


def payloads(*patterns):
    """The payloads of records in plain files."""
    for data in files(*patterns):
        at = 0
        while at + 16 <= len(data):
            size = struct.unpack_from('<Q', data, at)[0]
            if size > len(data) - at - 16:
                break
            yield data[at + 12:at + 12 + size]
            at += size + 16


def outputs(*patterns):
    """What commands print, as the cases of tests/cli have it."""
    for pattern in patterns:
        for path in sorted(CLI.glob(pattern)):
            text = path.read_bytes()
            if text[:1] == b'{' and len(text) <= LARGEST:
                yield text


def archives():
    """The same members as tar and as zip."""
    members = [('a/one.png', next(files('media/bit.png'))), ('b/two.jpg', next(files('media/gray.jpg'))),
               ('three.cls', b'3'), ('three.json', b'{"label": 3}')]
    tar, packed = io.BytesIO(), io.BytesIO()
    with tarfile.open(fileobj=tar, mode='w') as t:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))
    with zipfile.ZipFile(packed, 'w', zipfile.ZIP_DEFLATED) as z:
        for name, data in members:
            z.writestr(zipfile.ZipInfo(name), data)
    return tar.getvalue(), packed.getvalue()


def deflated():
    """Raw deflated data of each kind of block, as GZIP and ZLIB, cut in pieces and not."""
    for text in (b'', b'a' * 1000, bytes(range(256)) * 8):
        for level in (0, 1, 9):
            z = zlib.compressobj(level, zlib.DEFLATED, -15)
            data = z.compress(text) + z.flush(zlib.Z_FULL_FLUSH) + z.compress(text) + z.flush()
            yield b'\0\0' + data
            yield b'\1\7' + data


def lengths():
    """A record, and a header whose length is near a limit, with its checksum and without, cut and not."""
    for limit in (0, 1 << 62, 1 << 63, 1 << 64):
        for length in range(limit - 18, limit + 2):
            header = framing.header(length % (1 << 64))
            yield framing.frame(b'a') + header
            yield framing.frame(b'a') + header[:8] + bytes(max(-length % 16, 4))


def main():
    tar, packed = archives()
    records = list(payloads('*.tfrecord', 'types/*.tfrecord', 'kinds.tfevents'))
    plain = list(files('*.tfrecord', '*.snapshot'))
    images = list(files('media/*.jpg', 'media/*.png'))
    coco = list(files('coco/*.json')) + [
        b'{"images": [{"id": 1, "file_name": "a.png", "width": 1, "height": 1}], "categories": [{"id": 1, "name": "x"}], '
        b'"annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 1, 1], "segmentation": [[0, 0, 1, 0, 1, 1]]}]}']
    metadata = [b'{"file_name": "a.png", "text": "x", "objects": {"bbox": [[0, 0, 1, 1]], "categories": ["cat"]}}\n',
                b'{"file_name": "a.png", "n": [1, 2], "x": {"y": 1.5}}\n']
    table = b'file_name,label,caption\na.png,1,"one, two"\n'
    voc = [b'<annotation><folder>f</folder><filename>a.jpg</filename><source><database>d</database></source><size><width>100</width>'
           b'<height>50</height><depth>3</depth></size><segmented>0</segmented><object><name>dog</name><pose>Left</pose>'
           b'<truncated>1</truncated><difficult>0</difficult><bndbox><xmin>1</xmin><ymin>2.5</ymin><xmax>30</xmax><ymax>40</ymax>'
           b'</bndbox><part><name>head</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>2</xmax><ymax>2</ymax></bndbox></part>'
           b'</object></annotation>']
    report = json.dumps({'pipeline': 'read,parse', 'device': 'host', 'records_per_second': 1000.5, 'bytes_per_second': 1,
                         'device_bytes_per_second': 2e6, 'peak_rss_bytes': 1 << 20,
                         'batch_wait_seconds': {'p50': 0.1, 'max': 1}}).encode()
    note = (b'{"version":1,"seed":1,"options":"a 1\\n","inputs":"00000000000000ff","records":1,"payload_bytes":1,"bytes":17,'
            b'"sum":"0000000000000001","classes":[{"label":0,"text":"a","records":1}],"part":{"index":0,"parts":2,"read":2,"skipped":1,'
            b'"left":0,"read_bytes":9,"expected":2,"lost":1,"most_lost":0.5,"first_lost":"x","labels":"0:a\\n"},"shards":[{"name":"x",'
            b'"records":1,"bytes":17,"sum":"0000000000000001","crc32c":"00000001","mtime":"1.000000000"}]}')
    manifests = list(outputs('*/manifest*.out')) + [note,
        b'{"version": 1, "shards": [{"name": "a-00000-of-00001", "records": 3, "bytes": 99, "crc32c": "00000000"}], '
        b'"classes": [{"label": 0, "text": "cat", "records": 3}]}']
    # As JSON, and what its state is without the hash at its end.
    states = [text for (whole,) in [files('release-0.2.0/stats.json')]
              for text in (whole, base64.b64decode(json.loads(whole)['state'])[:-8])]
    grids = [(0, p[6:]) for p in (*files('media/*.gif'), *(p for p, _ in gifs.CASES.values()))] + [(1, p[2:]) for p in files('media/*.bmp')] + [
        ({b'VP8 ': 2, b'VP8L': 3, b'VP8X': 4}[p[12:16]], p[20 if p[12:16] == b'VP8X' else 16:]) for p in files('media/*.webp')]
    boxes = b'filename,width,height,class,xmin,ymin,xmax,ymax\n'
    createml = [b'[{"image": "a.png", "annotations": [{"label": "cat", "coordinates": {"x": 10, "y": 5.5, "width": 4, "height": 3}}]}, '
                b'{"image": "b/c.jpg", "annotations": []}]',
                b'[{"imagefilename": "a.png", "annotation": [{"coordinates": {"y": 1e1, "x": 2, "height": 1, "width": 1}, "label": "\\u00e9"}]}]']
    seeds = {
        'annotations': [b'\0' + boxes + b'a.png,20,10,cat,1,2,11,8\nb/c.jpg,20,10,"big, ""dog""",0,0,20.5,10\na.png,20,10,dog,5,5,5,8\n',
                        b'\0\xef\xbb\xbf' + boxes.replace(b',', b' ,') + b'\n ../a , 7 ,9,x,-1,0,8,1e1\r\n',
                        b'\1filename, cat, dog, red\na.png, 1, 0, 1\n\n"b/c.jpg",0,1.0,0\n'] +
                       [bytes([n]) + text for n in (2, 3) for text in createml],
        'batch': records, 'example': records, 'lint': records, 'oracle': records, 'print': records, 'types': records,
        'record': plain + list(files('compressed/*')) + list(lengths()), 'salvage': plain + list(lengths()), 'framing': plain,
        'blocked': plain, 'lookup': [b'\0\1\2\3', b'\1\1\2\3', b'\3\2\xff\0'],
        'media': [p + b'\0\0\4\4' for p in images], 'formats': [bytes([kind]) + rest for kind, rest in grids],
        'wav': files('audio/*.wav'), 'npy': files('arrays/*.npy'), 'tar': [tar],
        'audio': [b'\0\0\0\0mono,resample=8000\0' + bytes(range(64))],
        'inputs': [b'\0' + tar, b'\1' + packed, b'\2' + tar] + [b'\3' + p for p in files('arrays/*.npz')] +
                  [b'\4' + p for p in files('arrays/struct.npy')] + [b'\5' + m for m in metadata] + [b'\6' + table] +
                  [b'\7' + c for c in coco] + [b'\x08' + p for p in plain[:4]] + [b'\x09' + gzip.compress(plain[-1], mtime=0)],
        'coco': [b'\7' + c for c in coco], 'voc': voc, 'shape': [b'\4\4[[0,0,3,0,3,3]]', b'\4\4{"counts": "04", "size": [4, 4]}'],
        'yolo': [b'0 0.5 0.5 0.2 0.2\n1 0.1 0.1 0.2 0.1 0.2 0.2\n'],
        'yaml': [b'train: images/train\nval: images/val\nnc: 2\nnames:\n  0: cat\n  1: dog\n', b'names: [cat, "dog"]\nkpt_shape: [3, 3]\n'],
        'remote_answers': [
            b'\0<ListBucketResult><IsTruncated>true</IsTruncated><EncodingType>url</EncodingType><Contents><Key>a/%20+</Key><ETag>"e"'
            b'</ETag><Size>1</Size><LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents><CommonPrefixes><Prefix>a/b/</Prefix>'
            b'</CommonPrefixes><NextContinuationToken>t</NextContinuationToken></ListBucketResult>',
            b'\0<ListMultipartUploadsResult><IsTruncated>true</IsTruncated><NextKeyMarker>a/b</NextKeyMarker><NextUploadIdMarker>i'
            b'</NextUploadIdMarker><Upload><Key>a/b</Key><UploadId>i</UploadId><Initiated>2026-01-01T00:00:00Z</Initiated></Upload>'
            b'</ListMultipartUploadsResult>',
            b'\1 <CompleteMultipartUploadResult><ETag>"e-2"</ETag></CompleteMultipartUploadResult>',
            b'\1<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>',
            b'\1<Error><Code>C</Code><Message>m</Message><RequestId>r</RequestId><Region>eu-west-1</Region></Error>',
            b'\2{"AccessKeyId": "a", "SecretAccessKey": "b", "Token": "c", "Expiration": "2099-01-01T00:00:00Z"}',
            b'\3{"access_token": "t", "expires_in": 3599, "token_type": "Bearer"}',
            b'\4HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-9/100\r\nContent-Length: 10\r\nETag: "e"\r\n'
            b'Last-Modified: Mon, 23 Nov 2026 12:00:00 GMT\r\nRetry-After: 3\r\nx-goog-hash: crc32c=AAAAAA==\r\n'
            b'x-amz-checksum-crc32c: AAAAAA==\r\nAccept-Ranges: bytes\r\nx-amz-request-id: R\r\nx-amz-bucket-region: eu-west-1\r\n\r\n'],
        'remote_config': [b'[default]\nregion = eu-west-1 # c\ns3 =\n  endpoint_url = http://h\n[profile a]\na=b\n[services a]\ns3 =\n a = b\n'],
        'list': [table, b'a\tb\n1\t2.5\n', b'{"a": 1, "b": [1.5, 2], "c": {"base64": "Zm9v"}}\n', b'# c\n,x\n1,"a""b"\n'],
        'labels': [b'0:cat\n1:dog\n', b'cat\ndog\n', b'n01440764 tench\nn01443537\tgoldfish\n', b'**/a?[b-d]*\nx/abc\n'],
        'class_map': [b'0:cat\n1:dog\n'], 'manifest': manifests, 'index': [b'0 28\n28 40\n', b'0 28\n'],
        'samples': [b'a/b.jpg\na/b.cls\nc.{x,y{1..3}}\n'], 'names': [b'a/b.jpg\n../x\nCON\n'],
        'rows': [b'\x00' + table, b'\x01a\tb\n1\t2.5\n', b'\x03{"a": 1, "b": [1.5, 2], "c": {"base64": "Zm9v"}}\n{"a": -2, "d": "\\u00e9"}\n',
                 b'\x00# c\n,x\n1,"a""b"\n'],
        'tape': [b'\x20[{"image": "a.jpg", "annotations": [{"s": "\\u00e9", "x": 1.5e3}, [true, null, -0, NaN]]}]',
                 b'\x20{"s": [[1, 2.5], "}"], "s": {"bbox": [[1, 2, 3, 4]], "s": 12345678901234567890}}'],
        'schema': list(outputs('schema/*.out')) + [b'{"version": 1, "features": [{"name": "a", "kind": "int64", "shape": [1]}]}',
            b'feature { name: "a" "\\142" type: INT presence { min_fraction: 1.0 min_count: 1 } shape { dim { size: 1 name: "d" } dim { size: 3 } } }\n'
            b'feature < name: \'c\', type: 1; value_count: { min: 1 max: 2 } int_domain { max: -1 } lifecycle_stage: ALPHA in_environment: ["x"] > # c\n'
            b'feature { name: "##SEQUENCE##" type: STRUCT struct_domain { feature { name: "a" type: INT value_counts { value_count { min: 2 max: 2 } '
            b'value_count { } } } } } [a.b/c] { } annotation { }'],
        'stats': list(outputs('stats/*.out')) + states, 'compare': [report] + list(outputs('bench-feed/*.out')),
        'target': [b'\1a=1,b=2', b'\0uniform', b'\0a 0.5\nb 0.5\n', b'\1natural'],
        'where': [b'a == 1 && (b > 2.5 || c ~ "x.*")', b'!has(d) && len(a) >= 2', b'a in (1, 2)'],
        'numbers': [b'1,3-5,9-', b'0-1000:7'], 'spec': [b'image/encoded:bytes', b'x:float[2,3]=0', b'a:int64[*]'],
        'stages': [b'read,parse,decode,resize=8x8,flip,batch=4', b'read,shuffle=100,repeat=2,prefetch'],
        'recipe': [b',resize=8x8:area,crop=4x4,flip=h', b',normalise=imagenet,cast=f16'],
        'options': [b'-fq\0-j4\0--output=x\0--\0-z\0', b'--memory\00064K\0--real\0001.5\0-3\0--choice=two\0a\0'],
        'set_name': [b'out/train@16.tfrecord', b'train-00001-of-00016.tfrecord.gz', b'a@auto=0.25', b'x@*.gz'],
        'text': [b'-12.5e-3', b'1.5GiB', b'Zm9vYg==', 'a\u00e9\u20ac\U0001f600'.encode(), b'0x1p3', b'1e400'],
        'checkpoint': [bytes([how]) + bytes(600) for how in range(8)] + [b'\5\1', b'\0' + bytes(8) + b'\xff' * 8],
        'mark': [b'\0' + bytes(120), b'\1' + bytes(160), b'\3' + bytes(40)],
        'inflate': deflated(), 'lzf': [b'\2abc\x20\0'],
    }
    top = pathlib.Path(sys.argv[1])
    for target, texts in seeds.items():
        folder = top / target
        folder.mkdir(parents=True, exist_ok=True)
        for n, text in enumerate(texts):
            (folder / f'seed-{n:03}').write_bytes(text)


main()
