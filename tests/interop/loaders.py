"""tfrkit under the data loaders of PyTorch and Grain: every record once per epoch, in every process.  And its examples, which
a reader of the documentation runs."""
import json
import os
import pathlib
import random
import re
import struct
import subprocess

import records

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parent.parent / 'python' / 'examples'
COUNT = 1003


def run_script(module, python, script, *arguments, folder=None):
    done = subprocess.run([python, script, *map(str, arguments)], capture_output=True, text=True, cwd=folder,
                          env={**os.environ, 'PYTHONPATH': str(module), 'PYTHONDONTWRITEBYTECODE': '1', **(
                              {'TMPDIR': str(folder)} if folder else {})})
    assert done.returncode == 0, done.stderr
    return done.stdout


def peer(module, python, name, *arguments):
    return [json.loads(line) for line in run_script(module, python, HERE / name, *arguments).splitlines()]


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


def example_of_pytorch(module, python, folder):
    said = run_script(module, python, EXAMPLES / 'train_pytorch.py', folder=folder)
    right = [int(part) for part in re.findall(r'(\d+) % right', said)]
    assert len(right) == 3 and right[-1] >= 90, said


def readme_of_pytorch(module, python, folder):
    """The program of the module's README."""
    text = (EXAMPLES.parent / 'README.md').read_text()
    program, = (each for each in re.findall(r'```python\n(.*?)```', text, re.S) if 'import tfrkit.torch' in each)
    (folder / 'program.py').write_text(
        'import tfrkit\n'
        'with tfrkit.Writer("train@4.tfrecord") as writer:\n'
        '    for k in range(1000):\n'
        '        writer.write(tfrkit.encode_example({"x": [k, 0.5], "label": k % 3}))\n'
        + program + 'print(sum(len(x) for x, label in loader))\n')
    assert run_script(module, python, folder / 'program.py', folder=folder).split() == ['1000']


def example_of_jax(module, python, folder):
    first, last = map(float, re.findall(r'\d\.\d+', run_script(module, python, EXAMPLES / 'train_jax.py', folder=folder)))
    assert last < first / 3


def example_of_numpy(module, python, folder):
    said = run_script(module, python, EXAMPLES / 'fit_numpy.py', folder=folder)
    a, b, c = map(float, re.findall(r'-?\d+\.\d+', said))
    assert -1.1 < a < -0.8 and -1.1 < b < -0.8 and 1 < c < 1.2, said


def example_of_duckdb(module, python, folder):
    said = run_script(module, python, EXAMPLES / 'query_duckdb.py', folder=folder)
    counts = [int(count) for _, count in re.findall('\u2502 +([01]) \u2502 +(\\d+) \u2502', said)]
    assert len(counts) == 2 and sum(counts) == 4000, said
    read = "import pyarrow.parquet; t = pyarrow.parquet.read_table('points.parquet'); print(t.num_rows, t['x'].type.list_size)"
    done = subprocess.run([python, '-c', read], capture_output=True, text=True, cwd=folder)
    assert done.stdout.split() == ['4000', '2'], done.stderr


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
            ('columns-in-arrow', case(columns, 'tables')),
            ('example-pytorch', case(example_of_pytorch, 'torch')), ('readme-pytorch', case(readme_of_pytorch, 'torch')),
            ('example-jax', case(example_of_jax, 'grain')),
            ('example-numpy', case(example_of_numpy, 'tables')), ('example-duckdb', case(example_of_duckdb, 'tables'))]
