"""Writer: a file or a set that appears complete or not at all."""
from __future__ import annotations

import os
from types import TracebackType

from . import _core
from .errors import UsageError
from .reader import path_bytes

# By enum tfr_compression of <tfr/codec.h>.
_COMPRESSIONS = {'auto': 0, 'none': 1, 'gzip': 2, 'zlib': 3}
_LEVEL_MAX = 9


def target_of(target: str | os.PathLike) -> tuple[str, int | None]:
    """The target as other processes name it, and its shards; None: a file."""
    import re   # not for programs that need no set names: importing the module stays fast
    name = os.fspath(target)
    named = re.search(r'[^/]@(\d+)(\.[^/]*)?$', name)
    return name if '://' in name else os.path.abspath(name), int(named[1]) if named else None


class Writer:
    """Writes payloads to a file, or in turn to the shards of a set such as "train@16.tfrecord".

    `compression` is "auto" (GZIP for a name that ends in .gz, otherwise none), "none", "gzip" or "zlib"; `level` is 1 to 9
    [2].  An existing target is refused unless `overwrite`.

    With part=(i, n), a set is written by n processes, and this one writes the shards i, i + n, i + 2n, ... alone; finish()
    completes the set.  A part that is repeated replaces its own shards.  `run` is a text that all parts of a run have in
    common: finish() refuses parts of another one.

    The output gets its name when it is complete and on disk: at close(), or at the end of a `with` block.  After
    discard(), after an exception within the block, and if the Writer is dropped, nothing is written, and what existed
    stays.  A Writer belongs to the process that made it.
    """

    def __init__(self, path: str | bytes | os.PathLike, *, compression: str = 'auto', level: int | None = None,
                 overwrite: bool = False, part: tuple[int, int] | None = None, run: str | None = None) -> None:
        if compression not in _COMPRESSIONS:
            raise UsageError("unknown compression '%s': use auto, none, gzip or zlib" % (compression,))
        if level is not None and (not isinstance(level, int) or not 1 <= level <= _LEVEL_MAX):
            raise UsageError("the level is 1 to %d, not '%s'" % (_LEVEL_MAX, level))
        number, parts = part or (0, 0)
        if part and not 0 <= number < parts < 1 << 32:
            raise UsageError('there is no part %r of %r' % (number, parts))
        if run is not None and (not part or not run or set(run) & set('\0\n')):
            raise UsageError('a run is one line of text, and goes with a part')
        self._core = _core.Writer(path_bytes(path), _COMPRESSIONS[compression], level or 0, bool(overwrite), number, parts,
                                  run and 'run ' + run)

    def write(self, payload: bytes | bytearray | memoryview) -> None:
        """Write one payload: bytes, or another object with a contiguous buffer.  A failure of the system may be raised by a
        later write() or by close()."""
        self._core.write(payload)

    def close(self) -> None:
        """Complete the output, force it to disk and give it its name."""
        self._core.close()

    def discard(self) -> None:
        """Drop the output."""
        self._core.discard()

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None,
                 trace: TracebackType | None) -> None:
        if kind is None:
            self.close()
        else:
            self.discard()
