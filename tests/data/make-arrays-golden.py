#!/usr/bin/env python3
"""Makes tests/data/arrays: arrays in files of NumPy and of HDF5, and the features of their rows.

    make-arrays-golden.py DIRECTORY        (needs numpy, h5py: scripts/venv arrays)

NAME.npy, NAME.npz, NAME.h5   arrays
NAME.EXTENSION.jsonl          a line a row: an object, features to lists of values, bytes as {"base64": …}
none/                         what no records can be made of"""
import base64
import io
import json
import os
import sys
import zipfile

import h5py
import numpy as np

out = sys.argv[1]
rng = np.random.default_rng(9)
ROWS = 7
os.makedirs(os.path.join(out, 'none'), exist_ok=True)


def value(v):
    if isinstance(v, (bytes, str)):
        return {'base64': base64.b64encode(v.encode() if isinstance(v, str) else v).decode()}
    if isinstance(v, np.floating):
        return float(np.float32(v))
    return int(v)


def features(name, row):
    """Of a row of an array: an element has fields, or is a value."""
    row = np.asarray(row)
    if row.dtype.names:
        return {k: v for field in row.dtype.names for k, v in features('%s/%s' % (name, field) if name else field, row[field]).items()}
    made = {name: [value(v) for v in row.ravel().tolist()] if row.dtype.kind in 'SUO' else [value(v) for v in row.ravel()]}
    if row.ndim > 1:
        made[name + '/shape'] = list(row.shape)
    return made


def expect(file, arrays):
    with open(os.path.join(out, file + '.jsonl'), 'w') as lines:
        for k in range(ROWS):
            row = {n: v for name, a in arrays.items() for n, v in features(name, a[k]).items()}
            lines.write(json.dumps(row, sort_keys=True) + '\n')


def npy(name, a, version=None, feature=None):
    with open(os.path.join(out, name + '.npy'), 'wb') as f:
        np.lib.format.write_array(f, a, version)
    expect(name + '.npy', {feature if feature is not None else name: a})


def npz(name, arrays, compression):
    """np.savez, but for the time in it."""
    with zipfile.ZipFile(os.path.join(out, name + '.npz'), 'w', compression) as z:
        for key, a in arrays.items():
            f = io.BytesIO()
            np.lib.format.write_array(f, a)
            z.writestr(zipfile.ZipInfo(key + '.npy'), f.getvalue(), compression)


def ints(dtype, *shape):
    info = np.iinfo(dtype)
    low, high = info.min, min(info.max, 2 ** 63 - 1)
    a = rng.integers(low, high, shape, dtype=np.int64 if info.min else np.uint64, endpoint=True).astype(dtype)
    a.flat[0], a.flat[-1] = low, high
    return a


def floats(dtype, *shape):
    a = rng.normal(0, 100, shape).astype(dtype)
    a.flat[0], a.flat[1], a.flat[2], a.flat[3] = np.inf, -0.0, np.finfo(dtype).tiny, 0
    return a


KINDS = {kind: ints(kind, ROWS, 3) for kind in ('i1', 'u1', 'i2', 'u2', 'i4', 'u4', 'i8', 'u8')} | {
    kind: floats(kind, ROWS, 3) for kind in ('f2', 'f4')} | {
    'f8': rng.normal(0, 1e10, (ROWS, 3)), 'bool': rng.integers(0, 2, (ROWS, 2)).astype(bool)}
TEXTS = {'bytes': np.array([b'', b'a', b'a\0b', b'\xff\xfe', b'four', b'1', b'2']),
         'text': np.array([['', 'a'], ['ä€𝄞', 'b'], ['x' * 9, 'c'], ['\u07ff', '\u0800'], ['e', 'f'], ['g', 'h'], ['i', 'j']])}

for kind, a in KINDS.items():
    npy('little-' + kind, a)
    npy('big-' + kind, a.astype(a.dtype.newbyteorder('>')))
for kind, a in TEXTS.items():
    npy(kind, a)
npy('big-text', TEXTS['text'].astype(TEXTS['text'].dtype.newbyteorder('>')))
npy('single', ints('i4', ROWS))
npy('cube', ints('i2', ROWS, 2, 3, 4))
npy('fortran', np.asfortranarray(floats('f4', ROWS, 2, 3, 4)))
npy('version2', ints('i4', ROWS, 2), (2, 0))
STRUCT = np.zeros((ROWS, 2), np.dtype([('a', '<i4'), ('b', '>f8', (2, 3)), ('name', 'U3'), ('in', [('x', 'u1'), ('y', '<f2')])], align=True))
STRUCT['a'], STRUCT['b'], STRUCT['in']['y'] = ints('i4', ROWS, 2), rng.normal(0, 1, (ROWS, 2, 2, 3)), 0.5
STRUCT['name'] = [['x', 'yy']] * ROWS
npy('struct', STRUCT, feature='')
npy('version3', np.array([(k,) for k in range(ROWS)], [('größe', 'i4')]), (3, 0), feature='')

SET = {'image': ints('u1', ROWS, 4, 5), 'label': ints('i8', ROWS), 'weight': floats('f4', ROWS), 'name': TEXTS['text'][:, 0]}
npz('stored', SET, zipfile.ZIP_STORED)
npz('packed', SET, zipfile.ZIP_DEFLATED)
for name in 'stored', 'packed':
    expect(name + '.npz', SET)
npz('rows', {'a': np.arange(3), 'b': np.arange(4)}, zipfile.ZIP_STORED)
npz('fortran', {'a': np.asfortranarray(np.ones((3, 4)))}, zipfile.ZIP_STORED)
npz('single', {'x': np.arange(6).reshape(3, 2), 'n': np.int64(3), 'y': np.arange(3)}, zipfile.ZIP_STORED)
npz('only', {'n': np.int64(3)}, zipfile.ZIP_STORED)
npz('complex', {'good': np.arange(3), 'bad': np.ones(3, complex)}, zipfile.ZIP_STORED)



def h5(name, **options):
    return h5py.File(os.path.join(out, name), 'w', track_order=False, **options)


KINDS.update({'big-' + kind: a.astype(a.dtype.newbyteorder('>')) for kind, a in KINDS.items()})
del KINDS['big-bool']
with h5('kinds.h5') as f:
    for kind, a in KINDS.items():
        f['numbers/' + kind] = a
expect('kinds.h5', {'numbers/' + kind: a for kind, a in KINDS.items()})
LONG = np.array(['', 'ä€𝄞', 'a' * 300, 'b', '', 'c', 'd'], object)
with h5('texts.h5') as f:
    f.create_dataset('any', data=LONG, dtype=h5py.string_dtype())
    f.create_dataset('pairs', data=TEXTS['text'].astype(object), dtype=h5py.string_dtype())
    f['nullpad'] = TEXTS['bytes']
    for name, pad in ('nullterm', h5py.h5t.STR_NULLTERM), ('blank', h5py.h5t.STR_SPACEPAD):
        kind = h5py.h5t.C_S1.copy()
        kind.set_size(6)
        kind.set_strpad(pad)
        data = np.array([b'abc' + (b'\0\0\0' if name == 'nullterm' else b'   ')] * ROWS, 'V6').view('S6')
        space = h5py.h5s.create_simple((ROWS,))
        timeless = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        timeless.set_obj_track_times(False)
        h5py.h5d.create(f.id, name.encode(), kind, space, timeless).write(h5py.h5s.ALL, h5py.h5s.ALL, data, kind)
expect('texts.h5', {'any': LONG, 'pairs': TEXTS['text'].astype(object), 'nullpad': TEXTS['bytes'],
                    'nullterm': np.array([b'abc'] * ROWS), 'blank': np.array([b'abc'] * ROWS)})
CHUNKED = ints('u1', ROWS, 4, 5)
with h5('chunked.h5') as f:
    f.create_dataset('deep/er/image', data=CHUNKED, chunks=(3, 2, 5), compression='gzip', shuffle=True, fletcher32=True)
    f.create_dataset('label', data=np.arange(ROWS), maxshape=(None,), chunks=(2,))
    f['deep/same'] = f['label']
    f['soft'] = h5py.SoftLink('/label')
    f['outside'] = h5py.ExternalLink('texts.h5', '/any')
expect('chunked.h5', {'deep/er/image': CHUNKED, 'label': np.arange(ROWS), 'deep/same': np.arange(ROWS)})
with h5('user-block.h5', userblock_size=512) as f:
    f['x'] = np.arange(ROWS)
expect('user-block.h5', {'x': np.arange(ROWS)})
with h5('mixed.h5') as f:
    f['a'], f['b'], f['c'] = np.arange(3), np.arange(4), 5
with h5('none/strange.h5') as f:
    f['complex'], f['scalar'], f['empty'] = np.ones(3, complex), 3, h5py.Empty('f4')
    f['compound'] = np.zeros(3, [('a', 'i4')])
    f.create_dataset('lists', (3,), dtype=h5py.vlen_dtype('i4'))
    f.create_dataset('array', (3,), dtype=np.dtype(('i4', (2,))))
    f['opaque'] = np.zeros(3, 'V7')
    f.create_dataset('reference', (3,), dtype=h5py.ref_dtype)
    f['long'] = np.zeros(3, np.longdouble)
    f['nothing'], f['rows'] = np.zeros((3, 0)), np.zeros((0, 3))
    f.create_dataset('unwritten', (2 ** 40, 3), dtype='i4')
    f['large'] = np.array([1, 2 ** 63], np.uint64)
with h5('none/loop.h5') as f:
    f.create_group('a')
    f['a/b'] = f['a']
with h5('none/groups.h5') as f:
    f.create_group('a/b')
with h5py.File(os.path.join(out, 'paths.h5'), 'w', libver='latest') as f:   # 2 ** 31 paths to one data set
    group = f
    for _ in range(31):
        group['a'] = group.create_group('b')
        group = group['b']
    group['x'] = np.arange(3)

none = os.path.join(out, 'none')
np.save(os.path.join(none, 'scalar.npy'), np.int32(5))
np.save(os.path.join(none, 'complex.npy'), np.ones(3, complex))
np.save(os.path.join(none, 'object.npy'), np.array([{}, 1, None]), allow_pickle=True)
np.save(os.path.join(none, 'date.npy'), np.array(['2020-01-01'], 'M8[s]'))
np.save(os.path.join(none, 'void.npy'), np.zeros(3, 'V7'))
np.save(os.path.join(none, 'long.npy'), np.zeros(3, np.longdouble))
np.save(os.path.join(none, 'rows.npy'), np.zeros((0, 3)))
np.save(os.path.join(none, 'empty.npy'), np.zeros((3, 0)))
np.save(os.path.join(none, 'large.npy'), np.array([1, 2 ** 63 - 1, 2 ** 63, 2 ** 64 - 1], np.uint64))
np.save(os.path.join(none, 'far.npy'), np.array([1, 1e300, -1e39, np.inf]))

# After all that draws random numbers, so that what is above stays as it is.
npy('latin', np.array([(k,) for k in range(ROWS)], [('größe', 'i4')]), (1, 0), feature='')
PACKED = np.sort(rng.integers(0, 9, (ROWS, 60)).astype('i2'), axis=1)
with h5('lzf.h5') as f:
    f.create_dataset('sorted', data=PACKED, chunks=(3, 50), compression='lzf', shuffle=True)
    f.create_dataset('any', data=PACKED[:, ::-1], chunks=(2, 60), compression='lzf', fletcher32=True)
expect('lzf.h5', {'sorted': PACKED, 'any': PACKED[:, ::-1]})
with h5('none/elsewhere.h5') as f:
    f.create_dataset('file', (3,), 'i4', external=[('/etc/hostname', 0, 12)])
    layout = h5py.VirtualLayout((3,), 'i4')
    layout[:] = h5py.VirtualSource('other.h5', 'x', (3,))
    f.create_virtual_dataset('virtual', layout)
# 2^31 rows are declared, and one chunk of them is written.
with h5('none/hollow.h5') as f:
    f.create_dataset('x', (2 ** 31,), 'i4', chunks=(64,))[5] = 1
