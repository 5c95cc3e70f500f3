"""Reads files with PyPI's tfrecord, which cannot share a process with TensorFlow: peer_tfrecord.py gzip|plain FILE...

Prints a JSON object a record: {feature: [values], bytes in hex}.
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
for path in sys.argv[2:]:
    for record in reader.tfrecord_loader(path, None, None, compression_type=compression):
        print(json.dumps({k: values(v) for k, v in sorted(record.items())}))
