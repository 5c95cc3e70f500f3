"""How objects are read today: peer_remote.py loop URL COUNT, or s3fs|gcsfs URL.  Prints JSON."""
import http.client
import json
import os
import re
import sys
import time
import urllib.parse


def loop(url, count):
    """One object after the other on one connection, as a simple script or a loader without workers does."""
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port)

    def get(target):
        connection.request('GET', target)
        return connection.getresponse().read()
    keys = re.findall(r'<Key>([^<]*)</Key>', get('/bench?list-type=2&prefix=photos/').decode())[:int(count)]
    start = time.perf_counter()
    for key in keys:
        get('/bench/' + key)
    return len(keys), time.perf_counter() - start


def read(files):
    start = time.perf_counter()
    with files.open('bench/x.tfrecord', block_size=16 << 20) as source:
        while source.read(16 << 20):
            pass
    return 1, time.perf_counter() - start


def s3fs(url):
    import s3fs
    return read(s3fs.S3FileSystem(key='bench', secret='bench', endpoint_url=url))


def gcsfs(url):
    os.environ['GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT'] = 'false'   # zonal buckets, by gRPC
    import gcsfs
    return read(gcsfs.GCSFileSystem(token='anon', endpoint_url=url))


count, seconds = {'loop': loop, 's3fs': s3fs, 'gcsfs': gcsfs}[sys.argv[1]](*sys.argv[2:])
print(json.dumps({'seconds': seconds, 'records_per_second': count / seconds}))
