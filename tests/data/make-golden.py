"""Writes the golden files beside this script with TensorFlow, Pillow and zlib; the same bytes every time.

  build/venv/tensorflow/bin/python tests/data/make-golden.py

(scripts/venv tensorflow makes that python.)  README.md says what each file is for.
"""
import gzip
import io
import os
import pathlib
import struct
import tempfile
import zlib

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import numpy as np
import ml_dtypes
import tensorflow as tf
from PIL import Image
from tensorflow.core.framework import summary_pb2, tensor_pb2
from tensorflow.core.util import event_pb2

import records

HERE = pathlib.Path(__file__).resolve().parent
Feature, Example = tf.train.Feature, tf.train.Example


def ints(*values):
    return Feature(int64_list=tf.train.Int64List(value=values))


def floats(*values):
    return Feature(float_list=tf.train.FloatList(value=values))


def strings(*values):
    return Feature(bytes_list=tf.train.BytesList(value=values))


def example(**features):
    return Example(features=tf.train.Features(feature={k.replace('__', '/'): v for k, v in features.items()}))


def binary(message):
    return message.SerializeToString(deterministic=True)


def write(name, payloads, compression=''):
    with tf.io.TFRecordWriter(str(HERE / name), tf.io.TFRecordOptions(compression)) as out:
        for payload in payloads:
            out.write(payload)


def kinds():
    """Examples with every kind of list, and the values at the ends of their types."""
    return [binary(e) for e in (
        example(a=ints(1), b=floats(0.5), c=strings(b'text')),
        example(many=ints(0, 1, -1, 2**31, -2**63, 2**63 - 1), zero=ints(0)),
        example(f=floats(0.0, -0.0, 1 / 3, 3.4028235e38, 1e-45, float('inf'), float('-inf'), float('nan'))),
        example(raw=strings(b'', b'\x00\xff\xfe', 'żółw'.encode(), b'line\nfeed\t"quoted"'), empty=strings(b'')),
        example(no_ints=ints(), no_floats=floats(), no_strings=strings(), unset=Feature()),
        Example(),
        Example(features=tf.train.Features(feature={'ключ': ints(7), 'with space': ints(8), '': ints(9)})),
        example(image__class__label=ints(3), image__class__text=strings(b'cat'), image__object__bbox__xmin=floats(0.25, 0.5)),
    )]


def sequences():
    def frames(*features):
        return tf.train.FeatureList(feature=features)
    return [binary(s) for s in (
        tf.train.SequenceExample(
            context=tf.train.Features(feature={'clip/label/index': ints(4), 'example/id': strings(b'clip-1')}),
            feature_lists=tf.train.FeatureLists(feature_list={
                'image/timestamp': frames(ints(0), ints(40), ints(80)), 'ragged': frames(floats(1, 2), floats(), floats(3))})),
        tf.train.SequenceExample(feature_lists=tf.train.FeatureLists(feature_list={'empty': frames()})),
        tf.train.SequenceExample(context=tf.train.Features(feature={'only/context': ints(1)})),
    )]


def events():
    Event = tf.compat.v1.Event
    scalar = tf.compat.v1.Summary(value=[tf.compat.v1.Summary.Value(tag='loss', simple_value=0.25)])
    return [binary(e) for e in (
        Event(wall_time=1.5e9, file_version='brain.Event:2'), Event(wall_time=1.5e9 + 1, step=1, summary=scalar))]


def every_event():
    """Events of every kind, as TensorFlow 1 and 2 write them."""
    Event, Summary = tf.compat.v1.Event, tf.compat.v1.Summary
    Session, Log = tf.compat.v1.SessionLog, tf.compat.v1.LogMessage

    def plugin(tag, name, tensor):
        metadata = summary_pb2.SummaryMetadata(plugin_data=summary_pb2.SummaryMetadata.PluginData(plugin_name=name))
        return Summary.Value(tag=tag, metadata=metadata, tensor=tf.make_tensor_proto(tensor))

    png = saved(Image.fromarray(pixels(4, 5, 3)), 'PNG')
    buckets = np.array([[-1, 0, 3], [0, 2.5, 4]], np.float64)
    histo = summary_pb2.HistogramProto(min=-1, max=2.5, num=7, sum=4, sum_squares=9, bucket_limit=[0, 2.5], bucket=[3, 4])
    first = Summary(value=[
        Summary.Value(tag='loss', simple_value=0.25), Summary.Value(tag='weights', histo=histo),
        Summary.Value(tag='picture', image=Summary.Image(height=4, width=5, colorspace=3, encoded_image_string=png)),
        Summary.Value(tag='sound', audio=Summary.Audio(sample_rate=16000, num_channels=1, length_frames=10,
                                                       encoded_audio_string=b'RIFF', content_type='audio/wav'))])
    second = Summary(value=[
        plugin('loss', 'scalars', np.float32(0.125)), plugin('weights', 'histograms', buckets),
        plugin('picture', 'images', [b'5', b'4', png]), plugin('words', 'text', ['żółw', 'two']), Summary.Value(tag='nothing')])
    return [binary(e) for e in (
        Event(wall_time=1.5e9, file_version='brain.Event:2'), Event(wall_time=1.5e9, step=1, summary=first),
        Event(wall_time=1.5e9 + 0.25, step=-2, summary=second), Event(wall_time=float('nan'), graph_def=b'graph'),
        Event(wall_time=1e300, meta_graph_def=b'\xff\0'), Event(log_message=Log(level=Log.WARN, message='slow')),
        Event(session_log=Session(status=Session.CHECKPOINT, checkpoint_path='model.ckpt')),
        Event(tagged_run_metadata=event_pb2.TaggedRunMetadata(tag='step1', run_metadata=b'\xfe')))]


def tensors():
    """TensorProtos: as tf.data saves elements, and as tf.make_tensor_proto makes them, which leaves values out."""
    elements = (np.arange(6, dtype=np.float32).reshape(2, 3), np.array([True, False]), np.array([1 + 2j]), np.float16(1.5),
                np.uint64(2**64 - 1), np.int8([-128, 127]), tf.constant([1.5, -2], tf.bfloat16), ['ab', '', 'ż'], np.zeros((0, 3)))
    with tempfile.TemporaryDirectory() as folder:
        tf.data.Dataset.from_tensors(tuple(elements)).save(folder)
        saved = [p for f in pathlib.Path(folder).rglob('*.snapshot') for _, p, _ in records.unframe(f.read_bytes())]
    few = tf.make_tensor_proto(7, shape=[1000, 1000])
    zeros = tf.make_tensor_proto(0.0)
    zeros.ClearField('float_val')
    return saved + [binary(t) for t in (few, zeros, tf.make_tensor_proto([b'\xff\xd8', b'text']))]


NARROW = ['float8_e5m2', 'float8_e4m3fn', 'float8_e4m3fnuz', 'float8_e4m3b11fnuz', 'float8_e5m2fnuz', 'float4_e2m1fn',
          'int4', 'uint4', 'int2', 'uint2', 'bfloat16', 'float16']


def narrow():
    """Every value of each type below two bytes, some of those of two, stored in either way: (record, what NumPy reads)."""
    for name in NARROW:
        dtype = np.dtype(getattr(ml_dtypes, name, name))
        if 'int' in name:
            low, high = ml_dtypes.iinfo(dtype).min, ml_dtypes.iinfo(dtype).max
            every = np.arange(low, high + 1, dtype=np.int32).astype(dtype)
        elif dtype.itemsize == 2:
            every = np.arange(0, 65536, 97, dtype=np.uint16).view(dtype)
        else:
            every = np.arange(2**(4 if name.startswith('float4') else 8), dtype=np.uint8).view(dtype)
        bare = tf.make_tensor_proto(every)
        content = tensor_pb2.TensorProto(dtype=bare.dtype, tensor_shape=bare.tensor_shape, tensor_content=every.tobytes())
        protos = [bare, content]
        if 'fnuz' not in name:   # which make_tensor_proto stores in one way only
            protos.append(tf.make_tensor_proto(every[-2]))
            assert tf.make_ndarray(protos[-1]).tobytes() == every[-2].tobytes()
        for proto in protos:
            yield binary(proto), every if len(proto.tensor_shape.dim) else every[-2:-1]
    for dtype in tf.qint8, tf.quint8, tf.qint16, tf.quint16, tf.qint32:
        proto = tensor_pb2.TensorProto(dtype=dtype.as_datatype_enum, int_val=[0, 1, 127])
        proto.tensor_shape.dim.add().size = 3
        yield binary(proto), np.array([0, 1, 127])
    for dtype in np.complex64, np.complex128:
        values = np.array([1 + 2j, -0.1j, complex('nan')], dtype)
        yield binary(tf.make_tensor_proto(values)), values
        yield binary(tf.make_tensor_proto(values[1])), values[1:2]


def as_bits(values):
    """Integers as they are, floats as the bits of a float32, complex numbers as those of two floats of their own."""
    if values.dtype.kind == 'c':
        return ['+'.join('nan' if np.isnan(p) else '%x' % p.view('u%d' % p.itemsize) for p in (v.real, v.imag)) for v in values]
    if 'float' in values.dtype.name:
        return ['nan' if np.isnan(v) else '%x' % v.view(np.uint32) for v in values.astype(np.float32)]
    return ['%d' % int(v) for v in values]


def wire():
    """The rows of protobuf's merge rules: (name, payload), as protobuf (upb) reads them in wire.expected."""
    f, i64 = records.field, records.int64_list
    unpacked = f(3, b'\x08\x01\x08\x02')
    two_chunks = f(3, f(1, b'\x01') + f(1, b'\x02'))
    a = lambda feature: f(1, records.entry(b'a', feature))
    return [
        ('unpacked', a(unpacked)),
        ('two packed chunks', a(two_chunks)),
        ('packed then unpacked', a(f(3, f(1, b'\x01') + b'\x08\x02'))),
        ('unpacked then packed', a(f(3, b'\x08\x01' + f(1, b'\x02')))),
        ('unpacked float', f(1, records.entry(b'a', f(2, b'\x0d\x00\x00\x80\x3f')))),
        ('same kind twice', a(i64([1]) + i64([2]))),
        ('two kinds, the last wins', a(i64([1]) + records.float_list([2]))),
        ('duplicate key, the last wins', f(1, records.entry(b'a', i64([1])) + records.entry(b'a', i64([2])))),
        ('features twice, merged', a(i64([1])) + f(1, records.entry(b'b', i64([2])))),
        ('the same key in features twice', a(i64([1])) + a(i64([2]))),
        ('value before key', f(1, f(1, f(2, i64([1])) + f(1, b'a')))),
        ('no value', f(1, f(1, f(1, b'a')))),
        ('no key', f(1, f(1, f(2, i64([1]))))),
        ('value twice, merged', f(1, f(1, f(1, b'a') + f(2, i64([1])) + f(2, i64([2]))))),
        ('unknown field in Example', b'\x78\x05' + a(i64([1]))),
        ('unknown field in Features', f(1, b'\x78\x05' + records.entry(b'a', i64([1])))),
        ('unknown field in Feature', f(1, records.entry(b'a', b'\x78\x05' + i64([1])))),
        ('unknown field in a list', f(1, records.entry(b'a', f(3, b'\x78\x05' + f(1, b'\x01'))))),
        ('a group', b'\x7b\x08\x01\x7c' + a(i64([1]))),
        ('an open group', b'\x7b\x08\x01' + a(i64([1]))),
        ('key not UTF-8', f(1, records.entry(b'\xff', i64([1])))),
        ('tag not minimal', b'\x8a\x00' + a(i64([1]))[1:]),
        ('varint of 10 bytes', a(i64([-1]))),
        ('varint of 11 bytes', a(f(3, f(1, b'\xff' * 10 + b'\x01')))),
        ('field number 0', b'\x02\x00' + a(i64([1]))),
        ('trailing 00', a(i64([1])) + b'\x00'),
        ('trailing ff', a(i64([1])) + b'\xff'),
        ('cut short', a(i64([1]))[:-1]),
        ('float chunk of 5 bytes', f(1, records.entry(b'a', f(2, f(1, b'\x00\x00\x80\x3f\x00'))))),
    ]


def read_by_protobuf(payload):
    """The Example as `show --json` prints one, or 'error'."""
    try:
        features = Example.FromString(payload).features.feature
    except Exception:   # upb's DecodeError
        return 'error'
    parts = []
    for key in sorted(features):
        kind = features[key].WhichOneof('kind')
        values = getattr(features[key], kind).value if kind else []
        parts.append('"%s": [%s]' % (key, ', '.join('%g' % v for v in values)))
    return '{%s}' % ', '.join(parts)


def deflate(data, bits, flush_every=0, final=True):
    engine = zlib.compressobj(6, zlib.DEFLATED, bits, 9)
    if not flush_every:
        return engine.compress(data) + engine.flush()
    out = b''
    for at in range(0, len(data), flush_every):
        out += engine.compress(data[at:at + flush_every]) + engine.flush(zlib.Z_FULL_FLUSH)
    return out + engine.flush()


def gzip_with_name(data):
    out = io.BytesIO()
    with gzip.GzipFile('members.tfrecord', 'wb', 6, out, mtime=0) as f:
        f.write(data)
    return out.getvalue()


def bgzf_block(data):
    raw = deflate(data, -15)
    size = len(raw) + 25
    return (b'\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0' + struct.pack('<H', size) + raw +
            struct.pack('<II', zlib.crc32(data), len(data)))


def compressed(plain):
    """FORMAT's table of compressed files: name -> bytes.  Each holds the records of members.tfrecord, or what is left."""
    gz, zz, half = (lambda d: deflate(d, 31)), (lambda d: deflate(d, 15)), len(plain) // 2 + 3
    a, b = plain[:half], plain[half:]   # a record lies across the cut
    return {
        'gzip-members': gz(a) + gz(b),
        'gzip-member-a-record': b''.join(gz(plain[o:o + len(p) + 16]) for o, p, _ in records.unframe(plain)),
        'gzip-empty-member-first': gz(b'') + gz(plain),
        'gzip-empty-member-middle': gz(a) + gz(b'') + gz(b),
        'gzip-empty-member-last': gz(plain) + gz(b''),
        'gzip-full-flush': deflate(plain, 31, 64),
        'gzip-name': gzip_with_name(plain),
        'gzip-bgzf': bgzf_block(a) + bgzf_block(b) + bgzf_block(b''),
        'gzip-zeros-after': gz(plain) + bytes(32),
        'zlib-full-flush': deflate(plain, 15, 64),
        'bad-gzip-trailer-cut-4': gz(plain)[:-4],
        'bad-gzip-trailer-cut-8': gz(plain)[:-8],
        'bad-gzip-cut': gz(plain)[:-60],
        'bad-gzip-crc': gz(plain)[:-8] + b'\0\0\0\0' + gz(plain)[-4:],
        'bad-gzip-size': gz(plain)[:-4] + b'\0\0\0\0',
        'bad-gzip-garbage-after': gz(plain) + b'garbage after the end',
        'bad-zlib-adler': zz(plain)[:-4] + b'\0\0\0\0',
        'bad-zlib-adler-cut': zz(plain)[:-4],
        'bad-zlib-garbage-after': zz(plain) + b'garbage',
        'zlib-streams': zz(a) + zz(b),
    }


def pixels(height, width, channels):
    """A smooth image with some edges: unlike on every row, column and channel."""
    y, x, c = np.mgrid[0:height, 0:width, 0:channels]
    return ((x * 7 + y * 13 + c * 60 + (x // 5 % 2) * 40 + (y // 7 % 2) * 30) % 256).astype(np.uint8)


def saved(image, form, **options):
    out = io.BytesIO()
    image.save(out, form, **options)
    return out.getvalue()


def images():
    """Small images of every sort a folder may hold: path -> bytes, classes as folders."""
    rgb = Image.fromarray(pixels(33, 47, 3))
    gray = Image.fromarray(pixels(33, 47, 1)[:, :, 0])
    rgba = Image.fromarray(pixels(33, 47, 4))
    deep = Image.fromarray((pixels(33, 47, 1)[:, :, 0].astype(np.uint16) * 257 + 77).astype(np.uint16))
    jpeg, png = saved(rgb, 'JPEG', quality=90), saved(rgb, 'PNG', optimize=True)
    exif = Image.Exif()
    exif[0x0112] = 6
    return {
        'jpeg/444.jpg': saved(rgb, 'JPEG', quality=90, subsampling=0),
        'jpeg/422.jpg': saved(rgb, 'JPEG', quality=90, subsampling=1),
        'jpeg/420.jpg': jpeg,
        'jpeg/gray.jpg': saved(gray, 'JPEG', quality=90),
        'jpeg/progressive.jpg': saved(rgb, 'JPEG', quality=90, progressive=True),
        'jpeg/cmyk.jpg': saved(rgb.convert('CMYK'), 'JPEG', quality=90),
        'jpeg/exif-6.jpg': saved(rgb, 'JPEG', quality=90, exif=exif),
        'jpeg/named.png': jpeg,   # the content decides
        'png/rgb.png': png,
        'png/rgba.png': saved(rgba, 'PNG'),
        'png/gray.png': saved(gray, 'PNG'),
        'png/gray-alpha.png': saved(rgba.convert('LA'), 'PNG'),
        'png/palette.png': saved(rgb.quantize(16), 'PNG'),
        'png/bits.png': saved(gray.convert('1'), 'PNG'),
        'png/deep.png': saved(deep, 'PNG'),
        'broken/cut.jpg': jpeg[:-40],
        'broken/no-end.jpg': jpeg[:-2],
        'broken/cut.png': png[:-30],
        'broken/no-end.png': png[:-12],
        'broken/crc.png': png[:60] + bytes([png[60] ^ 1]) + png[61:],
        'broken/empty.jpg': b'',
        'broken/text.jpg': b'this is no picture\n',
    }


def main():
    every = kinds()
    for name, compression in (('', ''), ('-gzip', 'GZIP'), ('-zlib', 'ZLIB')):
        write('kinds%s.tfrecord' % name, every, compression)
        write('empty%s.tfrecord' % name, [], compression)
    write('sequence.tfrecord', sequences())
    write('events.out.tfevents.1500000000.host', events())
    write('kinds.tfevents', every_event())
    write('tensors.snapshot', tensors())
    rows = list(narrow())
    write('narrow.snapshot', [payload for payload, _ in rows])
    (HERE / 'narrow.expected').write_text(''.join(' '.join(as_bits(values)) + '\n' for _, values in rows))
    write('payloads.tfrecord', [bytes([n % 251]) * (n * n % 211) for n in range(100)])
    rows = wire()
    write('wire.tfrecord', [payload for _, payload in rows])
    (HERE / 'wire.expected').write_text(''.join('%s\t%s\n' % (n, read_by_protobuf(p)) for n, p in rows))
    write('members.tfrecord', [b'record %d ' % n * 5 for n in range(20)])
    for name, data in compressed((HERE / 'members.tfrecord').read_bytes()).items():
        (HERE / 'compressed').mkdir(exist_ok=True)
        (HERE / 'compressed' / (name + '.tfrecord')).write_bytes(data)
    shown = []
    for path, data in images().items():
        target = HERE / 'images' / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        if not path.startswith('broken'):
            shown.append(binary(example(image__encoded=strings(data), image__filename=strings(path.encode()))))
    write('images.tfrecord', shown)


main()
