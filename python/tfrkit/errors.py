"""The exceptions of tfrkit.

Their text is what the command `tfr` prints.  Each has the attributes `file`, `record`, `offset` and
`hint`, which are None where they do not apply.  `record` counts from 0 within the file, `offset` is
that of the record's first byte, in the uncompressed stream of a compressed file.  The hint says
what to do, and Python prints it below the traceback.
"""
from __future__ import annotations

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
    error.hint = hint or None
    if hint:
        error.add_note('hint: ' + hint)
    return error
