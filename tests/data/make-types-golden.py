"""Writes types/: records that are no Examples, and Examples that look like other messages, with TensorFlow.

  build/venv/tensorflow/bin/python tests/data/make-types-golden.py

The messages whose protos are not part of TensorFlow are declared here, with the field numbers that they have in
tensorflow_serving/apis/input.proto (ExampleListWithContext), tensorflow_metadata/proto/v0/statistics.proto
(DatasetFeatureStatisticsList), tensorflow_metadata/proto/v0/anomalies.proto (Anomalies, whose first field is a Schema) and
nucleus/protos (Read, Variant, Range).
"""
import io
import json
import os
import pathlib

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import numpy as np
import tensorflow as tf
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from tensorflow.core.framework import graph_pb2, summary_pb2
from tensorflow.core.protobuf import saved_model_pb2
from tensorflow.core.util import event_pb2

HERE = pathlib.Path(__file__).resolve().parent / 'types'
KINDS = {'string': 9, 'bytes': 12, 'int64': 3, 'int32': 5, 'bool': 8, 'double': 1, 'float': 2, 'uint64': 4}


def declare(name, **messages):
    """Classes of messages, each given as {field: (number, type, repeated)}; a type may be another of them, or tensorflow's."""
    pool = descriptor_pool.Default()
    f = descriptor_pb2.FileDescriptorProto(name=name + '.proto', package=name, syntax='proto3')
    f.dependency.append(tf.train.Example.DESCRIPTOR.file.name)
    for message, fields in messages.items():
        m = f.message_type.add(name=message)
        for field, (number, kind, *repeated) in fields.items():
            p = m.field.add(name=field, number=number, label=3 if repeated else 1, type=KINDS.get(kind, 11))
            if kind not in KINDS:
                p.type_name = '.' + (kind if kind.startswith('tensorflow') else '%s.%s' % (name, kind))
    pool.Add(f)
    return [message_factory.GetMessageClass(pool.FindMessageTypeByName('%s.%s' % (name, m))) for m in messages]


EXAMPLE = 'tensorflow.Example'
ELWC, List = declare('serving', ExampleListWithContext={'examples': (1, EXAMPLE, True), 'context': (2, EXAMPLE)},
                     ExampleList={'examples': (1, EXAMPLE, True)})
Statistics, _, _ = declare('stats', DatasetFeatureStatisticsList={'datasets': (1, 'Dataset', True)},
                           Dataset={'name': (1, 'string'), 'num_examples': (2, 'uint64'), 'features': (3, 'One', True)},
                           One={'name': (1, 'string'), 'type': (2, 'int32')})
Anomalies, _, _, _ = declare('anomalies', Anomalies={'baseline': (1, 'Schema'), 'name_format': (3, 'int32')},
                             Schema={'feature': (1, 'Feature', True), 'environment': (5, 'string', True)},
                             Feature={'name': (1, 'string'), 'type': (4, 'int32'), 'presence': (14, 'Presence')},
                             Presence={'min_fraction': (1, 'double'), 'min_count': (2, 'int64')})
Read, Variant, Range = declare('nucleus', Read={'name': (4, 'string'), 'bases': (9, 'string'), 'quality': (10, 'int32', True), 'length': (8, 'int32')},
                               Variant={'calls': (11, 'Range', True), 'names': (3, 'string', True), 'reference': (6, 'string'), 'start': (16, 'int64')},
                               Range={'reference': (1, 'string'), 'start': (2, 'int64'), 'end': (3, 'int64')})


def feature(*values):
    if isinstance(values[0], bytes):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
    if isinstance(values[0], float):
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def example(**features):
    return tf.train.Example(features=tf.train.Features(feature=features))


def sequence(context, **lists):
    lists = {k: tf.train.FeatureList(feature=v) for k, v in lists.items()}
    return tf.train.SequenceExample(context=context.features, feature_lists=tf.train.FeatureLists(feature_list=lists))


def binary(message):
    return message if isinstance(message, bytes) else message.SerializeToString(deterministic=True)


def write(name, *messages):
    with tf.io.TFRecordWriter(str(HERE / name)) as out:
        for m in messages:
            out.write(binary(m))


def array(*shape):
    out = io.BytesIO()
    np.save(out, np.arange(np.prod(shape), dtype=np.float32).reshape(shape))
    return out.getvalue()


def elwc():
    query = example(query_tokens=feature(b'is', b'this'), year=feature(2026))
    documents = [example(tokens=feature(b'an', b'answer'), relevance=feature(1)), example(score=feature(0.5))]
    write('elwc', ELWC(examples=documents, context=query), ELWC(examples=documents[:1], context=example()),
          ELWC(examples=[example(), documents[1]], context=query), ELWC(examples=[example()]), ELWC(context=query), ELWC())
    write('list', List(examples=documents), List(examples=documents * 3))


def other():
    write('feature', feature(b'x'), feature(1.5, 2.5), feature(1, 2, 3), feature(b'abcdefghi', b'\x0a\x01a'))
    graph = graph_pb2.GraphDef(node=[{'name': 'x', 'op': 'Placeholder'}, {'name': 'abcdefghi', 'op': 'Add', 'input': ['x', 'x']}])
    saved = saved_model_pb2.SavedModel(saved_model_schema_version=1)
    saved.meta_graphs.add(graph_def=graph).meta_info_def.tags.append('serve')
    write('graph', graph, saved, saved.meta_graphs[0])
    write('statistics', Statistics(datasets=[{'name': 'train', 'num_examples': 9, 'features': [{'name': 'a'}, {'name': 'b', 'type': 2}]}]),
          Statistics(datasets=[{'num_examples': 9, 'features': [{'name': 'a', 'type': 1}]}]))
    write('anomalies', Anomalies(baseline={'feature': [{'name': 'a', 'type': 1, 'presence': {'min_count': 1}}, {'name': 'b', 'type': 2}]}))
    write('nucleus', Read(name='NS1:1', bases='GATTACA', quality=[30] * 7, length=7), Variant(names=['rs1'], reference='A', start=5),
          Range(reference='chr1', start=1, end=9), Range(reference='chr2', start=1))
    write('numpy', array(2, 3), array(4), array(100))
    write('jpeg', (HERE.parent / 'images' / 'jpeg' / 'gray.jpg').read_bytes())
    write('json', *[json.dumps({'x': i, 'text': 'a' * i}).encode() for i in range(30)])
    write('random', *[np.random.RandomState(i).bytes(50 + i) for i in range(30)])
    write('tensors', *[tf.make_tensor_proto(v) for v in (1, [1.5, 2.5], [b'x', b'y'], np.zeros((2, 0)), True)])
    scalar = summary_pb2.Summary(value=[{'tag': 'loss', 'simple_value': 0.5}])
    write('events', event_pb2.Event(wall_time=1.5e9, file_version='brain.Event:2'),
          *[event_pb2.Event(wall_time=1.5e9 + i, step=i, summary=scalar) for i in range(3)],
          event_pb2.Event(wall_time=1.5e9, session_log={'status': 1}), event_pb2.Event(wall_time=1.5e9))


def odd():
    """Examples that are like something else."""
    entry = b'\x0a\x01a\x12\x00'   # an entry of the map
    names = [entry, b'\x0a' + bytes([len(entry)]) + entry, b'brain.Event:2', b'\x09' + bytes(8), 'größe'.encode(), b'', b'\n', b' ']
    examples = [example(**{n.decode(): feature(1)}) for n in names] + [example(**{n.decode(): tf.train.Feature()}) for n in names]
    inner = binary(example(a=feature(1)))
    write('odd', *examples, *[b''] * 30, example(), example(a=tf.train.Feature(), b=feature(inner)), sequence(example(a=feature(1))), sequence(example()),
          sequence(example(), frames=[feature(b'x'), feature(b'y')]), sequence(example(), none=[]), sequence(example(a=feature(2)), none=[]),
          example(**{'feature%d' % i: feature(i) for i in range(100)}))
    write('late', *[b''] * 999, example(a=feature(1)))
    write('empty', *[b''] * 5)


if __name__ == '__main__':
    HERE.mkdir(exist_ok=True)
    elwc()
    other()
    odd()
