#!/usr/bin/env python3
"""Runs what `tfr schema --emit` printed: peer_schema.py dali CODE FILE INDEX | epoch CODE PATTERN | metadata TEXT

dali: runs CODE and reads FILE with its FEATURES; prints a JSON object a record, lists of numbers, bytes in hex.
epoch: runs CODE and its batches(PATTERN) for one epoch, at most 64 batches; prints a JSON object a record, as dali does, and of
    images the shape and the mean of each channel.
metadata: parses TEXT as a tensorflow.metadata.v0.Schema; prints a JSON object a feature, and writes TEXT.line, the same in one line.
"""
import itertools
import json
import sys

BATCH = 7    # records that have a feature lie beside records that lack it


def read_by_dali(code, path, index):
    from nvidia.dali import fn, pipeline_def
    found = {}
    exec(open(code).read(), found)
    names = list(found['FEATURES'])

    @pipeline_def(batch_size=BATCH, num_threads=1, device_id=None)
    def records():
        out = fn.readers.tfrecord(path=[path], index_path=[index], features=found['FEATURES'], name='reader')
        return tuple(out[name] for name in names)

    pipeline = records()
    pipeline.build()
    left = pipeline.epoch_size('reader')
    while left > 0:
        outs = pipeline.run()
        for k in range(min(left, BATCH)):
            row = {}
            for name, out in zip(names, outs):
                value = out.at(k)
                row[name] = bytes(value).hex() if value.dtype.name == 'uint8' else value.reshape(-1).tolist()
            print(json.dumps(row))
        left -= BATCH


def described(f, schema_pb2):
    return {
        'name': f.name, 'type': schema_pb2.FeatureType.Name(f.type), 'required': f.presence.min_fraction == 1,
        'shape': [d.size for d in f.shape.dim] if f.HasField('shape') else None,
        'count': [f.value_count.min, f.value_count.max] if f.HasField('value_count') else None,
        'counts': [[c.min, c.max] for c in f.value_counts.value_count],
        'image': f.HasField('image_domain'), 'struct': [described(g, schema_pb2) for g in f.struct_domain.feature]}


def parse_metadata(text):
    from google.protobuf import text_format
    from tensorflow_metadata.proto.v0 import schema_pb2
    schema = text_format.Parse(open(text).read(), schema_pb2.Schema())
    with open(text + '.line', 'w') as out:
        out.write(text_format.MessageToString(schema, as_one_line=True, pointy_brackets=True))
    for f in schema.feature:
        print(json.dumps(described(f, schema_pb2)))


def plain(value, image):
    """A value of one record in a batch, of NumPy, PyTorch or Python."""
    import numpy as np
    if image:
        value = np.asarray(value, np.float64)
        channels = min(range(3), key=lambda axis: value.shape[axis])
        return {'shape': value.shape, 'mean': value.mean(axis=tuple({0, 1, 2} - {channels})).tolist()}
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, list):
        return [v.hex() for v in value]
    value = np.asarray(value)
    return bytes(value).hex() if value.dtype == np.uint8 else value.reshape(-1).tolist()


def read_epoch(code, pattern):
    found = {}
    exec(open(code).read(), found)
    dali = 'pipeline_def' in found
    for batch in itertools.islice(found['batches'](pattern, batch_size=BATCH, shuffle_buffer=16), 64):
        columns = {name: [out.at(k) for k in range(len(out))] if dali else list(out) for name, out in batch.items()}
        for k in range(len(next(iter(columns.values())))):
            print(json.dumps({name: plain(v[k], name in found.get('IMAGES', ())) for name, v in columns.items()}))


{'dali': read_by_dali, 'epoch': read_epoch, 'metadata': parse_metadata}[sys.argv[1]](*sys.argv[2:])
