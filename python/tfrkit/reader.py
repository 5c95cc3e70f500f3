"""Reader: the payloads of a file or a set."""
from __future__ import annotations

import bisect
import functools
import itertools
import operator
import os
from _thread import RLock
from collections.abc import Iterable, Iterator
from typing import overload

from . import _core
from .errors import UsageError


def path_bytes(path: str | bytes | os.PathLike) -> bytes:
    """A path as libtfr takes it."""
    name = os.fsencode(path)
    if not name or b'\0' in name:
        raise UsageError('a path is empty' if not name else 'a path contains a NUL character')
    return name


Inputs = str | bytes | os.PathLike | Iterable[str | bytes | os.PathLike]   # one input or several
_ALL = 2 ** 64 - 1   # records: more than there are


def paths_of(inputs: Inputs) -> tuple[bytes, ...]:
    """One input or several, as libtfr takes them."""
    if isinstance(inputs, (str, bytes, os.PathLike)):
        inputs = (inputs,)
    paths = tuple(path_bytes(each) for each in inputs)
    if not paths:
        raise UsageError('there is no input')
    return paths


def part(count: int, number: int, parts: int) -> tuple[int, int]:
    """Where part `number` of `parts` begins and ends when `count` records are divided as evenly as possible."""
    if not 0 <= number < parts:
        raise UsageError('there is no part %d of %d' % (number, parts))
    return count * number // parts, count * (number + 1) // parts


Piece = tuple[str, int, int | None]   # a file, its first record that is wanted, and their number; None: up to the end


def pieces(inputs: Inputs, most: int, least: int) -> list[Piece]:
    """The files as pieces that other processes read: ranges of records of at least `least` bytes, at most `most` for each file.

    Only a file with an index is divided: in others, each process would follow the headers up to its first record."""
    made = []
    for path in _core.Files(paths_of(inputs), False):
        if '://' not in path:
            path = os.path.abspath(path)   # the other processes are in folders of their own
        records, size = most > 1 and _core.indexed(path) or (0, 0)
        parts = min(most, records, size // least)
        ranges = [part(records, k, parts) for k in range(parts)] if parts > 1 else []
        made += [(path, start, end - start) for start, end in ranges] or [(path, 0, None)]
    return made


def payloads_of(piece: Piece) -> Iterator[bytes]:
    """The records of a piece."""
    path, first, count = piece
    return _core.Records(_core.Files((path_bytes(path),), False), 0, first, _ALL if count is None else count)


# Each holds two descriptors; a process usually may have 1,024.
_LOOKUPS = 128


class _Random:
    """Reads records of some files by number, for one process; any thread may call it."""

    def __init__(self, files: list[str]) -> None:
        self.process = os.getpid()
        self._lock = RLock()   # a signal's handler may read as well
        self._lookup = functools.lru_cache(_LOOKUPS)(lambda file: _core.Lookup(files[file]))

    def read(self, file: int, number: int) -> bytes:
        with self._lock:
            return self._lookup(file)[number]


class Reader:
    """The payloads of a file or a set, verified.

    `inputs` is one input or a sequence of them: files, directories, globs, "@list.txt", and set names such as
    "train@16.tfrecord".  Compression is detected.  The files are found when the Reader is made and opened when they are
    read.

    Each iter() starts from the first record, independent of others.  An iterator yields `bytes`, which stay valid.  At a
    fault it raises DataError, after the records before it, and ends.  With `allow_missing`, a set with gaps is read
    without its missing members.

    `reader[n]` is record n, `reader[-1]` the last, and a slice is a list.  A file with an index (`tfr index`) is read at
    the place of the record.  For other files, the first such access follows all headers and keeps 8 bytes per record.
    At most 128 files are kept open.

    A Reader may be pickled, shared by threads, and used in a child process after fork().  An iterator belongs to one
    thread and to the process that made it: in a child it raises RuntimeError when it has to read from the file.

    close(), or the end of a `with` block, closes the files of `reader[n]`.
    """

    def __init__(self, inputs: Inputs, *, allow_missing: bool = False) -> None:
        self._inputs = paths_of(inputs)
        self._allow_missing = bool(allow_missing)
        self._files = _core.Files(self._inputs, self._allow_missing)
        self._ends: list[int] | None = None   # of each file, the number of records up to its end
        self._random: _Random | None = None

    @property
    def files(self) -> list[str]:
        """The paths of the files, in the order in which they are read."""
        return list(self._files)

    def __iter__(self) -> Iterator[bytes]:
        return _core.Records(self._files, 0, 0, _ALL)

    def range(self, start: int = 0, stop: int | None = None) -> Iterator[bytes]:
        """An iterator over the records from `start` up to `stop`, which count as in a slice, read in order.

        The file of the first one is opened at its place, by its index or its headers, as for `reader[n]`."""
        first, end, _ = slice(start, stop).indices(len(self))
        file, number = self._place(first)
        return _core.Records(self._files, file, number, max(end - first, 0))

    def __len__(self) -> int:
        """The number of records, counted by their headers once."""
        return self._counted()[-1]

    def _counted(self) -> list[int]:
        if self._ends is None:
            self._ends = list(itertools.accumulate(_core.count(path) for path in self._files))
        return self._ends or [0]

    @overload
    def __getitem__(self, at: int) -> bytes: ...
    @overload
    def __getitem__(self, at: slice) -> list[bytes]: ...

    def __getitem__(self, at):
        count = len(self)
        if isinstance(at, slice):
            return [self._record(number) for number in range(*at.indices(count))]
        number = operator.index(at)
        if not -count <= number < count:
            raise IndexError('there is no record %d: the number of records is %d' % (number, count))
        return self._record(number % count)

    def _place(self, number: int) -> tuple[int, int]:
        """The file of a record, and its number in it."""
        ends = self._counted()
        file = bisect.bisect_right(ends, number)
        return file, number - (ends[file - 1] if file else 0)

    def _record(self, number: int) -> bytes:
        random = self._random
        if random is None or random.process != os.getpid():
            random = self._random = _Random(self.files)
        return random.read(*self._place(number))

    def close(self) -> None:
        """Close the files of `reader[n]`.  The next access opens them again."""
        self._random = None

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    # Without this, `if reader:` would count the records.
    def __bool__(self) -> bool:
        return True

    def __reduce__(self) -> tuple:
        return _make, (self._inputs, self._allow_missing)

    def __repr__(self) -> str:
        inputs = [_core.shown(each) for each in self._inputs]
        return 'tfrkit.Reader(%r)' % (inputs[0] if len(inputs) == 1 else inputs)


def _make(inputs: tuple[bytes, ...], allow_missing: bool) -> Reader:
    return Reader(inputs, allow_missing=allow_missing)
