"""Reads files with PyPI's tfrecord, which cannot share a process with TensorFlow: peer_tfrecord.py gzip|plain PARTS FILE...

PARTS 0: from front to end; otherwise through FILE.idx, in so many parts one after another.  Prints a JSON object a
record: {feature: [values], bytes in hex}.

peer_tfrecord.py outcomes [--plain] FILE... takes the files for GZIP, or for plain ones, and prints an object a file: how
many records it hands out, and whether it fails then.
"""
import json
import sys

import numpy as np
from tfrecord import reader


def values(value):
    if isinstance(value, bytes):
        return [value.hex()]
    if isinstance(value, np.ndarray) and value.dtype.kind == 'S':
        return [v.hex() for v in value]
    return np.asarray(value).tolist()


def outcome(path, compression):
    count = 0
    try:
        for _ in reader.tfrecord_iterator(path, compression_type=compression):
            count += 1
    except Exception:
        return {'records': count, 'fails': True}
    return {'records': count, 'fails': False}


if sys.argv[1] == 'outcomes':
    plain = sys.argv[2] == '--plain'
    for path in sys.argv[2 + plain:]:
        print(json.dumps(outcome(path, None if plain else 'gzip')))
    sys.exit()
compression = {'gzip': 'gzip', 'plain': None}[sys.argv[1]]
parts = int(sys.argv[2])
for path in sys.argv[3:]:
    index = path + '.idx' if parts else None
    for part in range(parts or 1):
        shard = (part, parts) if parts else None
        for record in reader.tfrecord_loader(path, index, None, shard=shard, compression_type=compression):
            print(json.dumps({k: values(v) for k, v in sorted(record.items())}))
