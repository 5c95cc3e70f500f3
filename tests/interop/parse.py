"""Records parsed into columns by tf.io.parse_example and by libtfr, brought to one form.

A column is {'values': [...], 'splits': [...], 'width': N}: ints, floats as the number that their bits are, bytes in
hexadecimal; splits are those of ragged columns.  A batch is a list of columns, or the text of an error.
"""
import collections
import json
import pathlib
import struct
import subprocess

import records

# layout: dense, padded, ragged, or varlen, which is ragged to us.
Wanted = collections.namedtuple('Wanted', 'name kind layout count flags fill', defaults=(1, '', None))


class Refused(str):
    """What an error said."""


def ours(program, folder, payloads, wanted, rows):
    """A batch for every `rows` records."""
    path = pathlib.Path(folder) / 'parsed'
    path.write_bytes(b''.join(map(records.frame, payloads)))
    features = ['%s:%s:%s:%d:%s:%s' % (w.name, w.kind, {'varlen': 'r'}.get(w.layout, w.layout[0]), w.count, w.flags,
                                       '-' if w.fill is None else w.fill) for w in wanted]
    done = subprocess.run([program, path, str(rows), *features], capture_output=True)
    assert done.returncode == 0, 'batches: status %s\n%s' % (done.returncode, done.stderr.decode())
    return [Refused(b['error']) if 'error' in b else [shown(c, w) for c, w in zip(b['columns'], wanted)]
            for b in map(json.loads, done.stdout.decode(errors='replace').splitlines())]


def shown(column, wanted):
    """Without what TensorFlow does not tell."""
    if wanted.layout in ('dense', 'padded'):
        return {'values': column['values'], 'width': column['width']}
    return {'values': column['values'], 'splits': column['splits']}


class TensorFlow:
    """parse_example with one set of features."""

    def __init__(self, tf, wanted):
        self.tf, self.wanted = tf, wanted
        self.features = {w.name: self.feature(w) for w in wanted}

    def feature(self, w):
        io, dtype = self.tf.io, {'int64': self.tf.int64, 'float': self.tf.float32, 'bytes': self.tf.string}[w.kind]
        if w.layout == 'dense':
            return io.FixedLenFeature([w.count], dtype, None if w.fill is None else [w.fill] * w.count)
        if w.layout == 'padded':
            return io.FixedLenSequenceFeature([w.count] if w.count > 1 else [], dtype, True, w.fill)
        if w.layout == 'ragged':
            return io.RaggedFeature(dtype, row_splits_dtype=self.tf.int32 if '3' in w.flags else self.tf.int64)
        return io.VarLenFeature(dtype)

    def batch(self, payloads):
        try:
            parsed = self.tf.io.parse_example(payloads, self.features)
        except self.tf.errors.InvalidArgumentError as error:
            return Refused(error.message)
        except UnicodeDecodeError:   # of a message that quotes the record
            return Refused('Could not parse example input')
        return [self.column(parsed[w.name], w, len(payloads)) for w in self.wanted]

    def column(self, tensor, w, rows):
        if w.layout == 'ragged':
            return {'values': plain(tensor.values.numpy(), w.kind), 'splits': tensor.row_splits.numpy().tolist()}
        if w.layout == 'varlen':
            lengths = [0] * rows
            for row, _ in tensor.indices.numpy().tolist():
                lengths[row] += 1
            return {'values': plain(tensor.values.numpy(), w.kind),
                    'splits': [sum(lengths[:r]) for r in range(rows + 1)]}
        array = tensor.numpy()
        width = 1
        for size in array.shape[1:]:
            width *= size
        return {'values': plain(array.reshape(-1), w.kind), 'width': width}


def plain(array, kind):
    if kind == 'bytes':
        return [bytes(v).hex() for v in array.tolist()]
    return array.view('uint32').tolist() if kind == 'float' else array.tolist()


def every_layout(name, kind):
    """Feature `name` wanted in each way there is, as sets of one."""
    fill = {'int64': -3, 'float': 0.5, 'bytes': 'none'}[kind]
    for count in (1, 2):
        yield Wanted(name, kind, 'dense', count)
        yield Wanted(name, kind, 'dense', count, 'c', fill)
        yield Wanted(name, kind, 'padded', count)
        yield Wanted(name, kind, 'padded', count, 'c3', fill)
    yield Wanted(name, kind, 'ragged')
    yield Wanted(name, kind, 'ragged', 1, '3c')
    yield Wanted(name, kind, 'varlen')
