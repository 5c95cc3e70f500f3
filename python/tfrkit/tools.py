"""schema(), check() and finish(): what the commands of these names find and do.

They run the command `tfr` of the same version, so that there is one implementation and every option of a command works
here, too: `example=True` is --example, `max_values=5` is --max-values 5, and a list repeats its option.
"""
from __future__ import annotations

import json
import os
import subprocess
from typing import Any

from . import _core, command, errors
from .reader import Inputs, paths_of

_CLASSES = {1: errors.DataError, 2: errors.UsageError, 3: errors.FileError}   # by exit status


def _arguments(options: dict[str, Any]) -> list[str]:
    arguments = []
    for name, value in options.items():
        option = '-' + name if len(name) == 1 else '--' + name.replace('_', '-')
        for each in value if isinstance(value, (list, tuple)) else (value,):
            if each is True:
                arguments.append(option)
            elif each is not None and each is not False:
                arguments += [option, str(each)]
    return arguments


def _argument(option: str) -> str:
    return option.lstrip('-').replace('-', '_')


def _find() -> str:
    program = command.find()
    said = subprocess.run([program, 'version'], stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout.split()
    if said[:2] != ['tfr', _core.version]:
        raise errors.UnavailableError("'%s' is not tfr %s, the version of this module" % (program, _core.version))
    return program


def _error(status: int, text: str) -> errors.Error:
    """The exception for a command that failed, from what it printed."""
    lines = text.strip().splitlines() or ['tfr ended with status %d' % status]
    if status == 2:   # the call is wrong: its words are those of the caller
        lines = [errors.in_python(line, _argument) for line in lines]
    hints = [line.removeprefix('hint: ') for line in lines if line.startswith('hint: ')]
    said = [line.partition(': ')[2] for line in lines if not line.startswith('hint: ') and ': warning: ' not in line]
    error = _CLASSES.get(status, errors.Error)('\n'.join(said) or lines[0])
    if hints:
        error.hint = errors.in_python(' '.join(hints), _argument)
        error.add_note('hint: ' + error.hint)
    return error


def _call(name: str, inputs: Inputs, options: dict[str, Any], good: tuple[int, ...]) -> bytes:
    """What the command prints."""
    paths = [os.fsdecode(path) for path in paths_of(inputs)]
    ran = subprocess.run([_find(), name, '-q', *_arguments(options), '--', *paths], stdin=subprocess.DEVNULL, capture_output=True)
    if ran.returncode not in good or (options.get('json') and not ran.stdout.strip()):
        raise _error(ran.returncode, ran.stderr.decode(errors='backslashreplace'))
    return ran.stdout


def schema(inputs: Inputs, **options: Any) -> dict[str, Any]:
    """The features of the records: their names, kinds, lengths and contents, as `tfr schema --json` prints them.

    `result['features']` is a list of dicts with `name`, `kind`, `presence` and `length`.  Damaged data raises DataError."""
    return json.loads(_call('schema', inputs, {'json': True, **options}, (0,)))


def check(inputs: Inputs, **options: Any) -> dict[str, Any]:
    """Verifies every record, as `tfr check --json`: `result['faults']` lists what is wrong, and is empty if nothing is."""
    return json.loads(_call('check', inputs, {'json': True, **options}, (0, 1)))


def finish(target: str | bytes | os.PathLike, **options: Any) -> None:
    """Completes a set that several processes have written as parts, as `tfr finish`: verifies every shard, and writes the
    manifest.  DataError names the parts and shards that are missing or damaged; nothing is changed then."""
    _call('finish', target, options, (0,))
