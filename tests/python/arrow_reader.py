"""A consumer of Arrow's C data interface in ctypes, by the specification alone: lists of Python values."""
import ctypes

P, I64 = ctypes.c_void_p, ctypes.c_int64


class Schema(ctypes.Structure):
    pass


Schema._fields_ = [('format', ctypes.c_char_p), ('name', ctypes.c_char_p), ('metadata', P), ('flags', I64), ('n_children', I64),
                   ('children', ctypes.POINTER(ctypes.POINTER(Schema))), ('dictionary', P),
                   ('release', ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))), ('private', P)]


class Array(ctypes.Structure):
    pass


Array._fields_ = [('length', I64), ('null_count', I64), ('offset', I64), ('n_buffers', I64), ('n_children', I64),
                  ('buffers', ctypes.POINTER(P)), ('children', ctypes.POINTER(ctypes.POINTER(Array))), ('dictionary', P),
                  ('release', ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))), ('private', P)]


class Stream(ctypes.Structure):
    pass


Stream._fields_ = [('get_schema', ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))),
                   ('get_next', ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))),
                   ('get_last_error', ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(Stream))),
                   ('release', ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))), ('private', P)]


def pointer(capsule, name, kind):
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = P, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.cast(get(capsule, name), ctypes.POINTER(kind))


def _buffer(array, i, kind, count):
    return (kind * count).from_address(array.buffers[i])[:] if count else []


def values(schema, array):
    """The values of an array as a list; a struct becomes a dict of lists."""
    form, n = schema.format.decode(), array.length
    assert array.offset == 0 and array.null_count == 0 and not schema.dictionary
    if form in ('l', 'f'):
        assert array.n_buffers == 2 and not array.buffers[0]
        return _buffer(array, 1, I64 if form == 'l' else ctypes.c_float, n)
    if form in ('Z', 'U'):
        assert array.n_buffers == 3
        ends = _buffer(array, 1, I64, n + 1)
        text = ctypes.string_at(array.buffers[2], ends[-1]) if ends[-1] else b''
        return [text[a:b] if form == 'Z' else text[a:b].decode() for a, b in zip(ends, ends[1:])]
    children = [values(schema.children[i].contents, array.children[i].contents) for i in range(schema.n_children)]
    if form == '+s':
        assert array.n_children == schema.n_children and all(len(child) == n for child in children)
        return {schema.children[i].contents.name.decode('utf-8', 'surrogateescape'): child for i, child in enumerate(children)}
    if form == '+L':
        ends = _buffer(array, 1, I64, n + 1)
    else:
        assert form.startswith('+w:'), form
        ends = [i * int(form[3:]) for i in range(n + 1)]
    assert ends[-1] == len(children[0])
    return [children[0][a:b] for a, b in zip(ends, ends[1:])]


def taken(pointer):
    """Moves a structure out of its place, as a consumer may do with any of them."""
    kind = type(pointer.contents)
    copy = kind()
    ctypes.memmove(ctypes.byref(copy), pointer, ctypes.sizeof(kind))
    ctypes.memset(ctypes.addressof(pointer.contents) + kind.release.offset, 0, 8)
    return copy


def moved(capsules):
    """Takes the structures of __arrow_c_array__() out of their capsules, as a consumer does."""
    return [taken(pointer(capsule, name, kind))
            for capsule, name, kind in zip(capsules, (b'arrow_schema', b'arrow_array'), (Schema, Array))]


def release(*structures):
    for each in structures:
        each.release(ctypes.byref(each))
        assert not each.release


def read_batch(batch):
    schema, array = moved(batch.__arrow_c_array__())
    got = values(schema, array)
    release(array, schema)
    return got


def read_stream(capsule):
    """(batches, error): the batches of a stream, and the text of the error that ended it or None."""
    stream, schema, got, error = pointer(capsule, b'arrow_array_stream', Stream), Schema(), [], None
    assert stream.contents.get_schema(stream, ctypes.byref(schema)) == 0
    while True:
        array = Array()
        if stream.contents.get_next(stream, ctypes.byref(array)):
            error = stream.contents.get_last_error(stream).decode()
            break
        if not array.release:
            break
        got.append(values(schema, array))
        release(array)
    release(schema)
    return got, error
