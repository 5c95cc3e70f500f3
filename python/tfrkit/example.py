"""Example: the features of one record, and records made of features."""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from . import _core

if TYPE_CHECKING:
    import numpy


_numpy: Any = None   # once an array was asked for


def load_numpy() -> Any:
    global _numpy
    try:
        import numpy as _numpy
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError('arrays need NumPy, which is not installed: pip install numpy', name=error.name) from error
    return _numpy


class Example(_core.Example, Mapping):
    """The features of a tf.train.Example, by name.

    The values of a feature are a NumPy array of float32 or int64, a list of bytes, or None for a feature without a list.
    The arrays cannot be written to.  Those of floats are views of the payload where its bytes are aligned; they keep the
    payload alive.  Only access to numbers imports NumPy.

    `payload` is bytes; other buffers are copied.  A damaged one raises DataError, as does a SequenceExample.  Names that
    are not UTF-8 are decoded with surrogateescape.
    """

    __slots__ = ()

    def __getitem__(self, name: str) -> numpy.ndarray | list[bytes] | None:
        kind, values = self._raw(name)
        if kind not in _DTYPES:
            return values
        buffer, offset, count = values
        return (_numpy or load_numpy()).frombuffer(buffer, _DTYPES[kind], count, offset)

    def __iter__(self) -> Iterator[str]:
        return iter([name for name, _, _ in self._describe()])

    @property
    def kinds(self) -> dict[str, str]:
        """Of each feature "int64", "float", "bytes" or "unset"."""
        return {name: kind for name, kind, _ in self._describe()}

    @property
    def lengths(self) -> dict[str, int]:
        """Of each feature the number of values."""
        return {name: count for name, _, count in self._describe()}

    def tolist(self, name: str) -> list[float] | list[int] | list[bytes]:
        """The values of a feature as a list, without NumPy."""
        kind, values = self._raw(name)
        if kind not in _DTYPES:
            return values or []
        buffer, offset, count = values
        size = 4 if kind == 'float' else 8
        return memoryview(buffer)[offset:offset + size * count].cast('f' if kind == 'float' else 'q').tolist()

    def to_dict(self) -> dict[str, list]:
        """All features as lists, without NumPy."""
        return {name: self.tolist(name) for name in self}

    @staticmethod
    def encode(features: Mapping[str, Any]) -> bytes:
        """The same as encode_example()."""
        return _core.encode(features)

    # Mapping's would compare arrays.  Equal payloads have equal features.
    def __eq__(self, other: object) -> bool:
        return self.payload == other.payload if isinstance(other, Example) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.payload)

    def __reduce__(self) -> tuple:
        return Example, (self.payload,)

    def __repr__(self) -> str:
        return 'tfrkit.Example({%s})' % ', '.join('%r: %s[%d]' % each for each in self._describe())


_DTYPES = {'float': '<f4', 'int64': '<i8'}


def encode_example(features: Mapping[str, Any]) -> bytes:
    """The payload of a tf.train.Example with these features.

    A value is a number, a str, a bytes object, a sequence of these, or an array.  Integers and booleans become int64, other
    numbers float (32 bits), str and bytes become bytes; a str is encoded as UTF-8.  bytes, bytearray and a memoryview of
    bytes are one value; a memoryview of other numbers is an array.  The elements of an array of any shape follow each other, row by row.  An empty list has no kind: give an empty
    array.  The same features give the same bytes, in any order.
    """
    return _core.encode(features)
