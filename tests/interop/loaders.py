"""tfrkit under the data loaders of PyTorch and Grain: every record once per epoch, in every process."""
import json
import os
import pathlib
import random
import struct
import subprocess

import records

HERE = pathlib.Path(__file__).resolve().parent
COUNT = 1003


def peer(module, python, name, *arguments):
    done = subprocess.run([python, HERE / name, *map(str, arguments)], capture_output=True, text=True,
                          env={**os.environ, 'PYTHONPATH': str(module), 'PYTHONDONTWRITEBYTECODE': '1'})
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def write(folder, payloads):
    """Three files of different lengths, the middle one with an index."""
    files = [payloads[:500], payloads[500:510], payloads[510:]]
    for k, part in enumerate(files):
        (folder / ('s-%05d-of-00003.tfrecord' % k)).write_bytes(b''.join(records.frame(payload) for payload in part))
    sizes = [len(payload) + 16 for payload in files[1]]
    (folder / 's-00001-of-00003.tfrecord.idx').write_text(
        ''.join('%d %d\n' % (sum(sizes[:k]), size) for k, size in enumerate(sizes)))
    return folder / 's@3.tfrecord'


def training(module, python, folder):
    rng = random.Random(1)
    rows = [(k, [rng.gauss(0, 1) for _ in range(4)]) for k in range(COUNT)]
    path = write(folder, [struct.pack('<q5f', k, *values, sum(values)) for k, values in rows])
    *runs, last = peer(module, python, 'peer_torch.py', path)
    assert len(runs) == 8
    for run in runs:
        assert all(seen == list(range(COUNT)) for seen in run['seen']), run
        assert run['losses'][-1] < run['losses'][0] / 2, run
    assert last['repeats'] and last['in_order'] and last['equal'] == [COUNT // 3] * 3
    assert 'no such feature in worker' in last['failure']


def grain(module, python, folder):
    peer(module, python, 'peer_grain.py', write(folder, [b'%d' % k for k in range(COUNT)]))


def columns(module, python, folder):
    """The tests of batches and Examples, where no library is missing."""
    done = subprocess.run([python, '-m', 'unittest', 'test_batches', 'test_example', 'test_readme'], capture_output=True, text=True,
                          cwd=HERE.parent / 'python', env={**os.environ, 'PYTHONPATH': str(module), 'PYTHONDONTWRITEBYTECODE': '1'})
    assert done.returncode == 0 and 'skipped' not in done.stderr, done.stderr


def cases(module, pythons, skip):
    """(name, function of a folder) each; `module` is where tfrkit is, `pythons` has those of each set of libraries, or None."""
    def case(function, name):
        def run(folder):
            if not pythons[name]:
                raise skip('%s is not installed' % name)
            if not any(module.glob('tfrkit/_core*.so')):
                raise skip('built without the Python module')
            function(module, pythons[name], folder)
        return run
    return [('loader-in-torch', case(training, 'torch')), ('loader-in-grain', case(grain, 'grain')),
            ('columns-in-arrow', case(columns, 'tables'))]
