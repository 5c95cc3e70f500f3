"""Sends a signal to a command in the middle of its work: interrupt.py SIGNAL INPUT COMMAND...

INPUT goes to the command's stdin, which then stays open.  When a file that is not there yet has appeared below the
current folder the signal is sent.  Prints how the command ended and which new files are left.
"""
import pathlib
import signal
import subprocess
import sys
import time


def files():
    return {str(p) for p in pathlib.Path('.').rglob('*') if p.is_file()}


def undo_ignoring():
    """A shell starts what it puts into the background with SIGINT ignored; a person at a terminal does not."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


name, source, *command = sys.argv[1:]
before = files()
with subprocess.Popen(command, stdin=subprocess.PIPE, preexec_fn=undo_ignoring) as child:
    child.stdin.write(pathlib.Path(source).read_bytes())
    child.stdin.flush()
    deadline = time.monotonic() + 20
    while files() == before and child.poll() is None and time.monotonic() < deadline:
        time.sleep(0.002)
    seen = files() - before
    child.send_signal(getattr(signal, name))
    try:
        child.wait(20)
    except subprocess.TimeoutExpired:
        print('it did not end')
        child.kill()
        child.wait()
    child.stdin.close()
ended = signal.Signals(-child.returncode).name if child.returncode < 0 else 'status %d' % child.returncode
print('%s: %s; files in the middle: %s, left: %s' % (name, ended, 'yes' if seen else 'no', sorted(files() - before)))
