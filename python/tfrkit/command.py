"""The command `tfr`: where it is, and what starts it from a wheel."""
from __future__ import annotations

import os
import pathlib
import sys


def find() -> str:
    """The path of the command: of the one inside the package, as in a wheel, or of the first `tfr` in PATH.

    UnavailableError: there is none."""
    inside = pathlib.Path(__file__).parent / 'bin' / 'tfr'
    if inside.exists():
        return str(inside)
    for folder in os.get_exec_path():
        path = os.path.join(folder or '.', 'tfr')
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    from .errors import UnavailableError
    raise UnavailableError("the command 'tfr' is neither in this package nor in PATH")


def main() -> None:
    """Replaces this process by the command.  The entry points of a wheel call it."""
    program = find()
    os.execv(program, ['tfr', *sys.argv[1:]])
