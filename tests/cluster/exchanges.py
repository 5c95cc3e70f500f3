#!/usr/bin/env python3
"""tfrkit.ray and tfrkit.beam in real engines: exchanges.py --tfr build/cmd/tfr [--python PYTHON] [--page PAGE] [ENGINE[/CASE]]...

PYTHON has Ray and Beam (scripts/venv ray); without one, the cases are skipped.  All cases of an engine run in one
process and, for Ray, in one session, because a session takes seconds to start.  It runs in namespaces of its own, since Ray
listens on the addresses of the host.  The recipes are those of PAGE [man/tfr-cluster.7.scd], in the order of its blocks.
The last line is "N passed, N failed, N skipped"."""
import argparse
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
NETWORK = ('{ ip link set lo up && ip link add v0 type veth peer name v1 && ip addr add 10.9.9.9/24 dev v0 && ip link set v0 up && '
           'ip link set v1 up; } || { echo "unavailable: no network of its own"; exit 1; }; exec "$@"')
ISOLATED = ['unshare', '--net', '--ipc', '--pid', '--fork', '--mount-proc', '--kill-child', 'bash', '-c', NETWORK, 'bash']
LIMIT = 600


def recipes(page, engine):
    """The programs of a section."""
    with open(page) as f:
        section = re.search(r'^## %s$(.*?)(?=^#|\Z)' % engine, f.read(), re.M | re.S)
    return re.findall(r'^```\n(.*?)^```', section[1], re.M | re.S) if section else []


def inside(engine, options, folder):
    """Runs the cases of an engine; returns what it printed."""
    build = os.path.dirname(os.path.dirname(os.path.abspath(options.tfr)))
    programs = [os.path.dirname(os.path.abspath(options.tfr)), '/usr/sbin', '/usr/bin', '/sbin', '/bin']
    environ = {**os.environ, 'PYTHONPATH': os.path.join(build, 'python'), 'PATH': ':'.join(programs), 'PYTHONDONTWRITEBYTECODE': '1',
               'RAY_DEDUP_LOGS': '0', 'RAY_USAGE_STATS_ENABLED': '0', 'PYTHONWARNINGS': 'ignore'}
    wanted = [name.partition('/')[2] for name in options.names if name.split('/')[0] == engine]
    command = [options.python, os.path.join(HERE, 'exchange_%s.py' % engine), folder, os.path.abspath(options.page), *filter(None, wanted)]
    ran = subprocess.run([*(ISOLATED if engine == 'ray' else []), *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, env=environ, cwd=folder, timeout=LIMIT)
    return ran.stdout.decode(errors='replace')


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--tfr', required=True)
    parser.add_argument('--python', help='a Python that has Ray and Beam')
    parser.add_argument('--page', default=os.path.join(TOP, 'man/tfr-cluster.7.scd'))
    parser.add_argument('names', nargs='*')
    options = parser.parse_args()
    counts = {'passed': 0, 'failed': 0, 'skipped': 0}
    for engine in 'ray', 'beam':
        if options.names and engine not in [name.split('/')[0] for name in options.names]:
            continue
        for attempt in 1, 2:
            with tempfile.TemporaryDirectory(prefix='tfr-cluster.') as folder:
                text = inside(engine, options, folder) if options.python else 'unavailable: no Ray and Beam from PyPI\n'
            verdicts = re.findall(r'^(passed|failed): .*', text, re.M)
            if '_raylet.so' not in text or 'failed' in verdicts or re.search('^finished$', text, re.M):
                break
            print("Ray's own code ended the process, attempt %d:" % attempt, *verdicts, text[:2000], flush=True)
        for verdict in verdicts:
            counts[verdict] += 1
        if 'failed' in verdicts or not re.search('^finished$', text, re.M):
            why = re.search('^(unshare|unavailable): .*', text, re.M)   # as in a chroot that is no mount, or without root
            if why and not verdicts:
                counts['skipped'] += 1
                print('skipped: %s: %s' % (engine, why[0]))
                continue
            counts['failed'] += 'failed' not in verdicts
            print(text, flush=True)
    print('%(passed)d passed, %(failed)d failed, %(skipped)d skipped' % counts)
    return counts['failed'] > 0


if __name__ == '__main__':
    sys.exit(main())
