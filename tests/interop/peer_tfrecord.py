"""Reads files with PyPI's tfrecord, which cannot share a process with TensorFlow: peer_tfrecord.py gzip|plain PARTS FILE...

PARTS 0: from front to end; otherwise through FILE.idx, in so many parts one after another.  Prints a JSON object a
record: {feature: [values], bytes in hex}.
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


compression = {'gzip': 'gzip', 'plain': None}[sys.argv[1]]
parts = int(sys.argv[2])
for path in sys.argv[3:]:
    index = path + '.idx' if parts else None
    for part in range(parts or 1):
        shard = (part, parts) if parts else None
        for record in reader.tfrecord_loader(path, index, None, shard=shard, compression_type=compression):
            print(json.dumps({k: values(v) for k, v in sorted(record.items())}))
