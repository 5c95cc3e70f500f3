"""webdataset's own reader and writers, for tests/interop/run.

peer_webdataset.py read FILE...             prints a JSON object a sample: __key__, and each field in hex
peer_webdataset.py write PATTERN FOLDER N   writes N samples into 4 archives, out of the images below FOLDER, and prints them
peer_webdataset.py copy FILE FILE           reads the samples of one archive and writes them with TarWriter, at time 0
"""
import json
import pathlib
import sys

import webdataset


def samples(files):
    for sample in webdataset.WebDataset([str(file) for file in files], shardshuffle=False):
        yield {field: value for field, value in sample.items() if field == '__key__' or not field.startswith('__')}


def show(sample):
    print(json.dumps({field: value if field == '__key__' else value.hex() for field, value in sample.items()}))


verb, *arguments = sys.argv[1:]
if verb == 'read':
    for sample in samples(arguments):
        show(sample)
elif verb == 'copy':
    with webdataset.TarWriter(arguments[1], encoder=False, mtime=0) as writer:
        for sample in samples(arguments[:1]):
            writer.write(sample)
else:
    pattern, folder, count = arguments[0], pathlib.Path(arguments[1]), int(arguments[2])
    images = sorted((folder / 'jpeg').iterdir()) + sorted((folder / 'png').iterdir())
    with webdataset.ShardWriter(pattern, maxcount=count // 4, verbose=0, encoder=False) as writer:
        for k in range(count):
            sample = {'__key__': 'part.%d/%06d' % (k % 3, k), 'cls': b'%d' % (k % 7), 'json': json.dumps({'k': k}).encode(), 'npy': bytes(k)}
            image = images[k % len(images)].read_bytes()
            if k % 5:
                sample['jpg' if image[:2] == b'\xff\xd8' else 'png'] = image
            if not k % 4:
                sample['seg.png'] = image[:k]
            writer.write(sample)
            show(dict(sorted(sample.items())))
