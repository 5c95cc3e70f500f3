"""What the cases of tests/cluster share: inputs, parts of a job, and the comparison with one process."""
import contextlib
import hashlib
import json
import os
import random
import re
import shutil
import subprocess

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DATA = TOP + '/tests/data/'
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


class Inputs:
    """Files for all cases, made with tfr itself, and each read by some case."""

    def __init__(self, tfr, folder):
        self.folder = folder
        draw = random.Random(1)
        with open(folder + '/lines', 'w') as f:
            for i in range(12000):
                f.write('line %d %s\n' % (i, 'x' * draw.randrange(300)))
        rows = [{'id': i, 'label': draw.randrange(7), 'text': 'w%d' % draw.randrange(600), 'x': draw.random(),
                 'v': [draw.random() for _ in range(draw.randrange(30))]} for i in range(4000)]
        with open(folder + '/rows.jsonl', 'w') as f:
            f.writelines(json.dumps(row) + '\n' for row in rows)
        with open(folder + '/later.jsonl', 'w') as f:
            for row in rows[50:1000] + rows[900:950] + rows[1100:]:
                f.write(json.dumps({**row, 'label': row['label'] + (row['id'] % 9 == 0)}) + '\n')

        with open(folder + '/texts.jsonl', 'w') as f:
            for i in range(500):
                f.write(json.dumps({'label': 'text %d' % draw.randrange(5)}) + '\n')

        def make(*arguments):
            subprocess.run([tfr, *arguments, '-q'], check=True, cwd=folder, stdin=subprocess.DEVNULL)
        make('cat', '--from', 'lines', 'lines', '-o', 'one.tfrecord')
        make('cat', 'one.tfrecord', '-o', 'five@5.tfrecord')
        make('cat', 'one.tfrecord', '-o', 'three@3.tfrecord.gz')
        make('shard', 'rows.jsonl', '-o', 'examples@4.tfrecord')
        make('shard', 'later.jsonl', '-o', 'later@3.tfrecord')
        make('shard', 'texts.jsonl', '-o', 'texts@2.tfrecord')
        make('cat', 'examples@4.tfrecord', '-o', 'examples.tfrecord.gz')
        make('cat', *['examples@4.tfrecord'] * 6, '-o', 'indexed.tfrecord.gz')
        make('index', 'indexed.tfrecord.gz')
        with open(folder + '/one.tfrecord', 'rb') as f:
            data = bytearray(f.read())
        for at in (300000, 300004, 700000, 1200000):
            data[at] ^= 0x55
        data[900000:901000] = bytes(1000)
        with open(folder + '/bad.tfrecord', 'wb') as f:
            f.write(data)
        for name in 'abc':
            os.makedirs('%s/images/%s' % (folder, name))
        images = sorted(os.path.join(root, name) for root, _, names in os.walk(DATA + 'images') for name in names
                        if name.endswith(('.jpg', '.jpeg', '.png')))
        for i in range(60):
            source = images[i % len(images)]
            shutil.copy(source, '%s/images/%s/%03d-%s' % (folder, 'abc'[i % 3], i, os.path.basename(source)))


def tree(folder):
    """The files below a folder and their digests; manifests without the times that they state."""
    found = {}
    for root, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(root, name)
            with open(path, 'rb') as f:
                data = f.read()
            if name.endswith('manifest.json'):
                data = re.sub(rb'"(created|mtime|seconds)": *"?[^",\n]*"?', b'', data)
            found[os.path.relpath(path, folder)] = hashlib.sha256(data).hexdigest()
    return found


def report(text):
    """A report without the seconds that it took."""
    return re.sub(rb'"seconds": *[0-9.e-]+', b'', text)


class Test:
    def __init__(self, tfr, folder, inputs, options):
        self.tfr, self.folder, self.inputs, self.ray, self.exits = tfr, folder, inputs, options.ray, contextlib.ExitStack()
        self.shim = options.shim and os.path.abspath(options.shim)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *arguments, cwd=None, env=None, limit=120):
        return subprocess.run([self.tfr, *map(str, arguments)], capture_output=True, cwd=cwd or self.inputs.folder,
                              env=environment(env), stdin=subprocess.DEVNULL, timeout=limit)

    def start(self, *arguments):
        child = subprocess.Popen([self.tfr, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.inputs.folder,
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

    def alone(self, arguments):
        """What one process writes to OUT, and prints."""
        os.makedirs(self.path('alone'))
        plain = self.run(*[a.replace('OUT', self.path('alone')) for a in arguments])
        assert plain.returncode <= 1, plain.stderr.decode()
        return plain, tree(self.path('alone'))

    def compared(self, arguments, job, do):
        """do(words) runs the parts and the end of a job; its output must be that of one process, under the same names, which
        manifests state."""
        plain, files = self.alone(arguments) if not os.path.exists(self.path('alone')) else self.wanted
        self.wanted = plain, files
        os.rename(self.path('alone'), self.path('kept'))
        os.makedirs(self.path('alone'))
        try:
            do([a.replace('OUT', self.path('alone')) for a in arguments], plain)
            found = tree(self.path('alone'))
            assert found == files, 'different: %s' % [k for k in {*found, *files} if found.get(k) != files.get(k)]
        finally:
            shutil.rmtree(self.path('alone'))
            os.rename(self.path('kept'), self.path('alone'))

    def equal(self, arguments, job, phases=(None,), parts=3, order=None, ends=False):
        """Runs the parts and the end of a job, and compares them with one process.  With `ends`, the parts write their shards."""
        def do(words, plain):
            for phase in phases:
                for i in order or range(parts):
                    self.good(*words, '--part', '%d/%d' % (i, parts), '--job', job, *(['--phase', phase] if phase else []))
            for i in order or range(parts):
                if ends:
                    self.good('finish', job, '--part', '%d/%d' % (i, parts))
            assert not tree(self.path('alone')), 'a part has published something'
            end = self.run('finish', job)
            assert end.returncode == plain.returncode, end.stderr.decode()
            assert report(end.stdout) == report(plain.stdout), '%r\n%r' % (end.stdout[:500], plain.stdout[:500])
        self.compared(arguments, job, do)
