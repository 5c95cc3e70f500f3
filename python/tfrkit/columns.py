"""batches: the columns of many Examples, as tf.io.parse_example makes them."""
from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex

from . import _core
from .errors import UsageError
from .example import load_numpy
from .reader import Inputs, paths_of

if TYPE_CHECKING:
    import numpy

Features = Mapping[str, str] | Iterable[str]


_asarray: Any = None   # NumPy's, once an array was asked for


def _load_numpy() -> Any:
    global _asarray
    _asarray = load_numpy().asarray
    return _asarray


class _Place(NamedTuple):
    """Where a feature is among the tensors of a batch, and its form."""

    first: int
    kind: str
    layout: str
    count: int
    scalar: bool


class Bytes(Sequence):
    """Byte strings in one text: value i is data[offsets[i]:offsets[i + 1]].

    With `width`, an item is a list of so many values; otherwise it is bytes.  `data` and `offsets` are views of the batch.
    """

    __slots__ = ('data', 'offsets', 'width', '_rows')

    def __init__(self, data: Any, offsets: Any, rows: int, width: int | None) -> None:
        self.data, self.offsets = memoryview(data), memoryview(offsets)
        self._rows, self.width = rows, width

    def __len__(self) -> int:
        return self._rows

    def _value(self, i: int) -> bytes:
        return self.data[self.offsets[i]:self.offsets[i + 1]].tobytes()

    def _row(self, i: int) -> Any:
        if self.width is None:
            return self._value(i)
        return [self._value(k) for k in range(i * self.width, (i + 1) * self.width)]

    def __getitem__(self, at: SupportsIndex | slice) -> Any:
        numbers = range(self._rows)[at]
        return self._row(numbers) if isinstance(numbers, int) else [self._row(i) for i in numbers]

    def tolist(self) -> list:
        """All rows, as lists of bytes."""
        return [self._row(i) for i in range(self._rows)]

    def to_numpy(self) -> numpy.ndarray:
        """An array of bytes objects, which are copies."""
        values = load_numpy().empty(len(self.offsets) - 1, object)
        values[:] = [self._value(i) for i in range(len(values))]
        return values if self.width is None else values.reshape(self._rows, self.width)

    def __eq__(self, other: object) -> bool:
        return self.tolist() == (other.tolist() if isinstance(other, Bytes) else other)

    def __repr__(self) -> str:
        return 'tfrkit.Bytes(%d rows%s)' % (self._rows, '' if self.width is None else ' of %d' % self.width)


class Ragged(Sequence):
    """Rows of different lengths: row r is values[row_splits[r]:row_splits[r + 1]]."""

    __slots__ = ('values', 'row_splits')

    def __init__(self, values: numpy.ndarray | Bytes, row_splits: numpy.ndarray) -> None:
        self.values, self.row_splits = values, row_splits

    def __len__(self) -> int:
        return len(self.row_splits) - 1

    def __getitem__(self, at: SupportsIndex | slice) -> Any:
        numbers = range(len(self))[at]
        if not isinstance(numbers, int):
            return [self[i] for i in numbers]
        return self.values[self.row_splits[numbers]:self.row_splits[numbers + 1]]

    def tolist(self) -> list[list]:
        """All rows, as lists."""
        values, splits = self.values.tolist(), self.row_splits.tolist()
        return [values[start:end] for start, end in zip(splits, splits[1:])]

    def __repr__(self) -> str:
        return 'tfrkit.Ragged(%d rows, %d values)' % (len(self), len(self.values))


class Batch(_core.Batch, Mapping):
    """One batch: its columns by the names of the features.

    A dense or padded feature of numbers is a NumPy array, a ragged one is Ragged, and byte strings are Bytes.  They are
    views of the batch's memory, which they keep alive: nothing is copied, and they stay valid after the batch.

    batch.tensors(name) are the same as objects with a buffer and DLPack, without NumPy.  A batch is a struct array for
    consumers of Arrow's C data interface: pyarrow.record_batch(batch).  `records`, `epoch` and `index` count from 0.
    """

    __slots__ = ()

    def tensors(self, name: str) -> tuple[_core.Tensor, ...]:
        """The parts of a column: the values, or the bytes and their offsets, and then the row splits of a ragged one."""
        place = self._columns[name]
        count = 1 + (place.kind == 'bytes') + (place.layout == 'ragged')
        return tuple(self._tensor(place.first + k) for k in range(count))

    def __getitem__(self, name: str) -> numpy.ndarray | Bytes | Ragged:
        first, kind, layout, count, scalar = self._columns[name]
        if kind == 'bytes':
            return self._bytes(first, layout, count, scalar)
        asarray = _asarray or _load_numpy()
        values = asarray(self._tensor(first))
        if layout == 'ragged':
            return Ragged(values, asarray(self._tensor(first + 1)))
        return values.reshape(-1) if scalar else values

    def _bytes(self, first: int, layout: str, count: int, scalar: bool) -> Bytes | Ragged:
        offsets = self._tensor(first + 1)
        values = offsets.shape[0] - 1
        if layout == 'ragged':
            asarray = _asarray or _load_numpy()
            return Ragged(Bytes(self._tensor(first), offsets, values, None), asarray(self._tensor(first + 2)))
        width = None if scalar else count if layout == 'dense' else values // (self.records or 1)
        return Bytes(self._tensor(first), offsets, self.records, width)

    def __len__(self) -> int:
        return len(self._columns)

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    # Mapping's would compare arrays.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return 'tfrkit.Batch(%d records of %s)' % (self.records, ', '.join(map(repr, self)))


class Batches(Iterator):
    """The iterator that batches() returns.

    It belongs to one thread and to the process that made it; in a child after fork() it raises RuntimeError.  Its threads
    work ahead until it ends, or until close() or the end of a `with` block.  An exception for damaged data comes after all
    batches before the damage.

    For consumers of Arrow's C stream interface, the remaining batches are a stream: pyarrow.RecordBatchReader.from_stream().
    """

    __slots__ = ('_core',)

    def __init__(self, core: _core.Batches) -> None:
        self._core = core

    def __next__(self) -> Batch:
        return next(self._core)

    # The extension's iterator costs less per batch than this object.
    def __iter__(self) -> Iterator[Batch]:
        return self._core

    @property
    def skipped(self) -> int:
        """Records left out so far, with on_error='skip'."""
        return self._core.skipped

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._core.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._core.features.__arrow_c_schema__()

    def close(self) -> None:
        """Stop the threads.  Batches that were returned stay valid."""
        self._core.close()

    def __enter__(self) -> Batches:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _spec(name: str, form: str) -> bytes:
    """A feature in the words of --feature."""
    if not isinstance(name, str) or not isinstance(form, str):
        raise TypeError('features maps names to texts such as "int64[2]", not %r to %r' % (name, form))
    form = form.strip()
    if form.startswith('float32'):
        form = 'float' + form[7:]
    quoted = name.replace('\\', '\\\\').replace('"', '\\"')
    spec = ('"%s":%s' % (quoted, form)).encode('utf-8', 'surrogateescape')
    if not name:
        raise UsageError('the name of a feature is empty')
    return spec


def features(schema: Mapping[str, Any] | str | os.PathLike) -> dict[str, str]:
    """The features of a schema, for batches(): of what schema() returns, or of a file that `tfr schema --json` wrote.

    A feature that every record has with the same number of values is dense, any other is ragged.
    """
    if not isinstance(schema, Mapping):
        with open(schema, encoding='utf-8') as file:
            schema = json.load(file)
    forms = {}
    for each in schema['features']:
        if each['kind'] not in ('int64', 'float', 'bytes'):
            continue
        least, most = each['length']['min'], each['length']['max']
        fixed = each['presence'] == 'required' and least == most and most > 0
        forms[each['name']] = each['kind'] + ('[]' if not fixed else '' if most == 1 else '[%d]' % most)
    return forms


def _places(parsed: _core.Features, specs: Sequence[bytes]) -> dict[str, _Place]:
    places, first = {}, 0
    for (name, kind, layout, count), spec in zip(parsed, specs):
        places[name] = _Place(first, kind, layout, count, layout == 'dense' and not spec.endswith(b']'))
        first += 1 + (kind == 'bytes') + (layout == 'ragged')
    return places


def _specs(features: Features) -> list[bytes]:
    """What was asked for, in the words of --feature."""
    if isinstance(features, Mapping):
        specs = [_spec(name, form) for name, form in features.items()]
    else:
        specs = [os.fsencode(spec) for spec in ((features,) if isinstance(features, str) else features)]
    if any(b'\0' in spec for spec in specs):
        raise UsageError('the name of a feature contains a NUL character')
    if not specs:
        raise UsageError('there is no feature')
    return specs


def _fill(kind: str, value: Any) -> bytes | None:
    """A padding value as the extension takes it."""
    import array   # not for programs that need none: importing the module stays fast
    if value is None:
        return None
    if kind == 'bytes':
        return value.encode() if isinstance(value, str) else bytes(memoryview(value))
    return array.array('q' if kind == 'int64' else 'f', [value]).tobytes()


def _parsed(features: Features, padding_values: Mapping[str, Any] | None = None) -> tuple[_core.Features, dict[str, _Place]]:
    """The features as the extension takes them, and where they are in a batch."""
    specs = _specs(features)
    given = []
    for spec in specs:
        name, _, form = spec.rpartition(b':')
        text = form.startswith(b'utf8')
        given.append((name + b':bytes' + form[4:] if text else spec, text, None))
    parsed = _core.Features(tuple(given))
    padded = {name: kind for name, kind, layout, _ in parsed if layout == 'padded'}
    for name in padding_values or ():
        if name not in padded:
            raise UsageError('padding_values has %r, which is no feature of a form such as "int64[*]"' % (name,))
    if padding_values:
        fills = [_fill(padded[name], padding_values[name]) if name in padding_values else None for name, *_ in parsed]
        parsed = _core.Features(tuple((*one[:2], fill) for one, fill in zip(given, fills)))
    return parsed, _places(parsed, specs)


def parsed_features(features: Features) -> _core.Features:
    """The features as the extension takes them; they have the schema of their batches, for Arrow."""
    return _parsed(features)[0]


def parse(payloads: Iterable[bytes], features: Features, *, padding_values: Mapping[str, Any] | None = None) -> Batch:
    """One batch of the Examples in `payloads`, which are bytes.  `features`, `padding_values` and the rules are those of batches().

    A payload that is not an Example or lacks a feature raises DataError, whose `record` counts from 0 in `payloads`."""
    parsed, places = _parsed(features, padding_values)
    return _core.parse(tuple(payloads), parsed, Batch, places)


def every_feature(inputs: Inputs, allow_missing: bool = False) -> dict[str, str]:
    from .tools import schema
    return features(schema(inputs, allow_missing=allow_missing))


_MOST = (1 << 63) - 1


def _count(name: str, value: int, least: int, most: int = (1 << 32) - 1) -> int:
    if not isinstance(value, int) or not least <= value <= most:
        raise UsageError('%s is a number from %d to %d, not %r' % (name, least, most, value))
    return value


def batches(inputs: Inputs, features: Features | None, batch: int, *, shuffle: int = 0, seed: int = 0, workers: int | None = None,
            epochs: int | None = 1, drop_remainder: bool = False, cycle_length: int = 4, block_length: int = 1,
            shuffle_files: bool = False, where: str | None = None, on_error: str = 'raise', memory: int | None = None,
            allow_missing: bool = False, padding_values: Mapping[str, Any] | None = None) -> Batches:
    """Parse Examples into batches of columns, in threads of the library.

    `features` maps names to forms:

        "int64", "float", "bytes"     one value in every record: shape (batch,)
        "float[18]"                   18 values in every record: shape (batch, 18)
        "int64[*]"                    rows padded to the longest of the batch
        "int64[]"                     ragged: values and row splits

    float32 is another word for float.  utf8 is bytes that consumers of Arrow get as strings; there, a value that is not UTF-8
    raises DataError.  `padding_values` maps names of padded features to the value that fills their rows up, in place of 0,
    0.0 or b''.  A text such as "label:int64", as for `tfr bench-feed --feature`, or a
    sequence of them, does the same.  None reads all records first and takes all features, as features(schema(inputs)).  The rules are those of tf.io.parse_example.

    Records come in the order of tf.data's deterministic interleave of `cycle_length` files, `block_length` records each,
    and of its shuffle(`shuffle`, `seed`); with `shuffle_files` the files come in another order in each epoch.  The batches
    depend on the files, the options and the seed, not on `workers` (None: one per processor).  `epochs` None repeats
    without end.  Batches do not span epochs.  `where` selects records, as --where of tfr(1).  on_error="skip" leaves out
    records that are no Examples or lack a feature, with a warning for the first of them.  `memory` limits what the
    pipeline takes, in bytes [1 GiB]; batches that the program keeps are not counted.
    """
    parsed, places = _parsed(every_feature(inputs, allow_missing) if features is None else features, padding_values)
    if on_error not in ('raise', 'skip'):
        raise UsageError("on_error is 'raise' or 'skip', not %r" % (on_error,))
    stages = 'read=%d:%d,' % (_count('cycle_length', cycle_length, 1), _count('block_length', block_length, 1))
    if where is not None:
        stages += 'parse,filter,'
    if shuffle:
        stages += 'shuffle=%d,' % _count('shuffle', shuffle, 0)
    stages += 'batch=%d,upload' % _count('batch', batch, 1)
    return Batches(_core.batches(
        _core.Files(paths_of(inputs), bool(allow_missing)), parsed, Batch, places, stages, where,
        epochs=0 if epochs is None else _count('epochs', epochs, 1, _MOST), seed=_count('seed', seed, 0, _MOST),
        threads=0 if workers is None else _count('workers', workers, 1, 1024), memory=_count('memory', memory or 0, 0, _MOST),
        drop_remainder=drop_remainder, shuffle_files=shuffle_files, skip_bad=on_error == 'skip'))
