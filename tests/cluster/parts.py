"""What the cases of tests/cluster share: data sets, the parts of a command, and the comparison with one process."""
import contextlib
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, TOP + '/tests')

from support import datasets  # noqa: E402

CASES = []
VARIABLES = ('SLURM_', 'PMI_', 'OMPI_', 'PARALLEL_', 'JOB_COMPLETION_INDEX', 'AWS_BATCH_', 'BATCH_', 'CLOUD_RUN_', 'PBS_', 'SGE_')


class Unavailable(Exception):
    pass


def case(function):
    CASES.append(function)
    return function


def environment(more=None):
    """This process's environment without the variables of schedulers."""
    return {**{k: v for k, v in os.environ.items() if not k.startswith(VARIABLES)}, **(more or {})}


def make_inputs(tfr, folder):
    """The data sets, and a set of records x@5 with one damaged file."""
    for name, (files, _) in datasets.KINDS.items():
        datasets.write({**files, 'a/broken.jpg': b'no image'} if name == 'classes' else files, os.path.join(folder, name))
    subprocess.run([tfr, 'shard', '-q', 'classes', '-o', 'x@5.tfrecord'], check=True, cwd=folder, stdin=subprocess.DEVNULL)
    with open(folder + '/x-00003-of-00005.tfrecord', 'r+b') as f:
        f.seek(40)
        f.write(b'damage')


def shards(folder):
    """The files of a set and its labels, which do not depend on the parts."""
    return {name: datasets.read(os.path.join(folder, name)) for name in sorted(os.listdir(folder))
            if name[0] != '.' and ('.tfrecord' in name or name.endswith('labels.txt'))}


class Test:
    def __init__(self, tfr, folder, inputs, options):
        self.tfr, self.folder, self.inputs, self.options, self.exits = tfr, folder, inputs, options, contextlib.ExitStack()
        self.shim = options.shim and os.path.abspath(options.shim)

    def path(self, name):
        return os.path.join(self.folder, name)

    def make(self, name):
        os.makedirs(self.path(name), exist_ok=True)
        return self.path(name)

    def run(self, *arguments, env=None, limit=120):
        return subprocess.run([self.tfr, *map(str, arguments)], capture_output=True, cwd=self.inputs, env=environment(env),
                              stdin=subprocess.DEVNULL, timeout=limit)

    def start(self, *arguments):
        child = subprocess.Popen([self.tfr, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=self.inputs,
                                 env=environment(), stdin=subprocess.DEVNULL)
        self.exits.callback(lambda: child.poll() is None and child.kill())
        return child

    def good(self, *arguments, **options):
        result = self.run(*arguments, **options)
        assert result.returncode == 0, '%s: status %d: %s' % (arguments, result.returncode, result.stderr.decode())
        return result

    def fails(self, status, *arguments, says=(), **options):
        result = self.run(*arguments, **options)
        text = result.stderr.decode()
        assert result.returncode == status, '%s: status %d, %d was expected: %s' % (arguments, result.returncode, status, text)
        for expression in [says] if isinstance(says, str) else says:
            assert re.search(expression, text), 'no %r in %s' % (expression, text)
        return result

    def alone(self, words, name='alone'):
        """What one process writes to OUT."""
        self.good(*(w.replace('OUT', self.make(name)) for w in words), '-q')
        return shards(self.path(name))

    def parts(self, words, n, name, order=None):
        """Runs the parts with OUT as a folder of their own, but does not finish."""
        words = [w.replace('OUT', self.make(name)) for w in words]
        for i in order or range(n):
            self.good(*words, '--part', '%d/%d' % (i, n), '-q')
        return words
