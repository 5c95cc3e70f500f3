"""Reader: the payloads of a file or a set."""
from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from . import _core
from .errors import UsageError


def path_bytes(path: str | bytes | os.PathLike) -> bytes:
    """A path as libtfr takes it."""
    name = os.fsencode(path)
    if not name or b'\0' in name:
        raise UsageError('a path is empty' if not name else 'a path contains a NUL character')
    return name


class Reader:
    """The payloads of a file or a set, verified.

    `inputs` is one input or a sequence of them: files, directories, globs, "@list.txt", and set names such as
    "train@16.tfrecord".  Compression is detected.  The files are found when the Reader is made and opened when they are
    read.

    Each iter() starts from the first record, independent of others.  An iterator yields `bytes`, which stay valid.  At a
    fault it raises DataError, after the records before it, and ends.  With `allow_missing`, a set with gaps is read
    without its missing members.

    A Reader may be pickled, and used in a child process after fork().  An iterator belongs to the process that made it:
    in a child it raises RuntimeError when it has to read from the file.
    """

    def __init__(self, inputs: str | bytes | os.PathLike | Iterable[str | bytes | os.PathLike], *,
                 allow_missing: bool = False) -> None:
        if isinstance(inputs, (str, bytes, os.PathLike)):
            inputs = (inputs,)
        self._inputs = tuple(path_bytes(each) for each in inputs)
        if not self._inputs:
            raise UsageError('there is no input')
        self._allow_missing = bool(allow_missing)
        self._files = _core.Files(self._inputs, self._allow_missing)
        self._counts: list[int] | None = None

    @property
    def files(self) -> list[str]:
        """The paths of the files, in the order in which they are read."""
        return list(self._files)

    def __iter__(self) -> Iterator[bytes]:
        return _core.Records(self._files)

    def __len__(self) -> int:
        """The number of records, counted by their headers once."""
        if self._counts is None:
            self._counts = [_core.count(path) for path in self._files]
        return sum(self._counts)

    # Without this, `if reader:` would count the records.
    def __bool__(self) -> bool:
        return True

    def __reduce__(self) -> tuple:
        return _make, (self._inputs, self._allow_missing)

    def __repr__(self) -> str:
        inputs = [os.fsdecode(each) for each in self._inputs]
        return 'tfrkit.Reader(%r)' % (inputs[0] if len(inputs) == 1 else inputs)


def _make(inputs: tuple[bytes, ...], allow_missing: bool) -> Reader:
    return Reader(inputs, allow_missing=allow_missing)
