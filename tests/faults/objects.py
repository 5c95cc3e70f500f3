"""The commands of commands.py with objects as inputs, of which the store refuses one: 403, or 503 as long as it is asked.

What a run asks for is known from a run without a fault: objects by their paths, listings by their prefixes."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from servers import faults, store  # noqa: E402

STATUSES = [('403', 'AccessDenied'), ('503', 'SlowDown')]


def of(command):
    """The command with objects in place of its inputs; None: it has none, or looks at folders that a bucket lacks."""
    line = re.sub(r'(?<![\w/])in/', 's3://looks/', command.line)
    if line == command.line or '--follow' in line or 'large' in line or command.stdin:
        return None
    return type(command)(**(vars(command) | {'name': command.name + '-objects', 'line': line + ' --timeout 1'}))


def serve(folder):
    """A store with the files of a folder, and what leads tfr to it."""
    made = store.Store()
    for path in sorted(folder.rglob('*')):
        if path.is_file() and path.stat().st_size < 1 << 20:
            made.put('looks', str(path.relative_to(folder)), path.read_bytes())
    return made, {'AWS_ENDPOINT_URL': made.url, 'AWS_ACCESS_KEY_ID': 'ID', 'AWS_SECRET_ACCESS_KEY': 'KEY'}


def asked(request):
    return '%s?%s' % (request.path, request.parameters['prefix']) if 'prefix' in request.parameters else request.path


def refuse(made, fault):
    """The fault `object:PATH:STATUS` from now on; None: none."""
    made.faults.clear()
    made.requests.clear()
    if not fault:
        return None
    _, what, status = fault.split(':')
    act = faults.status(int(status), dict(STATUSES)[status])
    return made.inject(act, lambda r: asked(r) == what, times=None)
