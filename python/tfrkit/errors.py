"""The exceptions of tfrkit.

Their text is what the command `tfr` prints.  Each has the attributes `file`, `record`, `offset` and
`hint`, which are None where they do not apply.  `record` counts from 0 within the file, `offset` is
that of the record's first byte, in the uncompressed stream of a compressed file.  The hint says
what to do, and Python prints it below the traceback.
"""
from __future__ import annotations

from collections.abc import Callable

__all__ = ['CancelledError', 'DataError', 'Error', 'ExistsError', 'FileError', 'FormatError', 'MissingFileError',
           'OutOfMemoryError', 'UnavailableError', 'UsageError']


class Error(Exception):
    """The base class of all."""

    file: str | None = None
    record: int | None = None
    offset: int | None = None
    hint: str | None = None


class DataError(Error, ValueError):
    """The data is damaged, incomplete or not as expected."""


class FormatError(DataError):
    """The file is not a TFRecord file at all."""


class UsageError(Error, ValueError):
    """The call asks for something impossible."""


class ExistsError(Error, FileExistsError):
    """The target exists, and overwriting was not allowed."""


class FileError(Error, OSError):
    """A system call failed; `errno` has the reason."""

    def __str__(self) -> str:
        return self.args[0] if self.args else ''


class MissingFileError(FileError, FileNotFoundError):
    """A file or a directory does not exist."""


class OutOfMemoryError(Error, MemoryError):
    """Memory ran out."""


class UnavailableError(Error, NotImplementedError):
    """This build lacks the feature."""


class CancelledError(Error):
    """The call was cancelled."""


# By enum tfr_status of <tfr/error.h>.
_CLASSES = {2: DataError, 3: FormatError, 4: UsageError, 5: ExistsError, 6: FileError, 7: OutOfMemoryError,
            8: UnavailableError, 9: CancelledError}
_ENOENT = 2

# What hints call by the option of a command, by their names here.  Others have no counterpart, except in the functions that
# run commands.
_ARGUMENTS = {'-f': 'overwrite=True', '--allow-missing': 'allow_missing=True', '--memory': 'memory', '--batch': 'batch',
              '--shuffle-buffer': 'shuffle', '--cycle-length': 'cycle_length',
              '--anonymous': 'tfrkit.remote(anonymous=True)', '--connections': 'the connections of tfrkit.remote()',
              '--timeout': 'the timeout of tfrkit.remote()'}


def in_python(text: str, name_of: Callable[[str], str]) -> str:
    """A text in which name_of(option) replaces the options, except in a command that it quotes."""
    import re   # importing the module stays fast
    return re.sub(r"'tfr [^']*'|(?<![\w-])--?[a-z][a-z-]*\b", lambda found: found[0] if found[0][0] == "'" else name_of(found[0]), text)


def _of_status(status: int, errno: int, text: str, file: str, place: tuple[int, int] | tuple[None, None],
               hint: str) -> Error:
    """The exception for a failure of libtfr; _core calls this."""
    cls = _CLASSES.get(status, Error)
    if cls is FileError and errno == _ENOENT:
        cls = MissingFileError
    error = cls(text)
    if isinstance(error, OSError):
        error.errno = errno or None
    error.file = file or None
    error.record, error.offset = place
    if hint:
        import re
        hint = in_python(hint, lambda option: _ARGUMENTS.get(option, option))
        error.hint = re.sub(r'(?<=memory to )(\d+)M', lambda size: str(int(size[1]) << 20), hint)   # in bytes
        error.add_note('hint: ' + error.hint)
    return error
