"""One run of a program, and rows of paired runs: what scripts/bench measures with.

A row runs ours, peer, ours, peer, … so that a busy moment hits both, and compares medians.  Wall time, processor time and
peak memory are what wait4() says of a process and its children; a peer that prints JSON says its own `seconds`,
`records_per_second` or `cpu`, the seconds of processors.
"""
import json
import os
import statistics
import tempfile
import time


def run(arguments, before=None):
    """Runs a program to its end; what wait4() and, where it prints JSON, the program itself say of it."""
    if before:
        before()
    arguments = [str(a) for a in arguments]
    with tempfile.TemporaryFile() as errors, tempfile.TemporaryFile() as output:
        files = [(os.POSIX_SPAWN_OPEN, 0, '/dev/null', os.O_RDONLY, 0),
                 (os.POSIX_SPAWN_DUP2, output.fileno(), 1), (os.POSIX_SPAWN_DUP2, errors.fileno(), 2)]
        # subprocess.Popen() takes some milliseconds, as long as the shortest of these runs.
        start = time.perf_counter()
        child = os.posix_spawnp(arguments[0], arguments, os.environ, file_actions=files)
        _, status, usage = os.wait4(child, 0)
        wall = time.perf_counter() - start
        code = os.waitstatus_to_exitcode(status)
        if code:
            errors.seek(0)
            raise RuntimeError('%s: status %d\n%s' % (arguments, code, errors.read().decode()[-2000:]))
        output.seek(0)
        out = output.read()
    result = {'seconds': wall, 'wall': wall, 'cpu': usage.ru_utime + usage.ru_stime, 'rss': usage.ru_maxrss * 1024}
    try:
        said = json.loads(out)
    except ValueError:
        return result
    if isinstance(said, dict):
        result |= {k: said[k] for k in ('seconds', 'records_per_second', 'records_per_second_total', 'cpu') if k in said}
    else:
        result['records_per_second'] = said   # decode_alone prints the number
    return result


class Row:
    """Ours against a peer: seconds count (the less the better), or with `rate` records a second (the greater).

    `records` are those that a run of ours handles, for a rate of ours that it does not say itself.  `before` is called
    before each run, and at the end: it takes away what the last one left.  `small`: reads the 20 million small records;
    `images`: reads images.
    """
    images = False


    def __init__(self, name, job, peer_name, ours, peer, goal, rate=False, pairs=None, before=None, records=None,
                 small=False):
        self.name, self.job, self.peer_name, self.ours, self.peer = name, job, peer_name, ours, peer
        self.goal, self.rate, self.pairs, self.before = goal, rate, pairs, before
        self.records, self.small = records, small
        self.runs = []
        self.floor = 0

    def measure(self, pairs):
        # A process has the memory of the one that it was forked from on its account: less than that cannot be seen.
        self.floor = run(['/bin/true'])['rss'] * 1.05
        run(self.ours, self.before)   # a warm-up each, that no disk or cache is cold for the first
        if not self.rate:
            run(self.peer, self.before)
        for _ in range(pairs):
            self.runs.append((run(self.ours, self.before), run(self.peer, self.before)))
        if self.before:
            self.before()

    def value(self, result):
        if not self.rate:
            return result['seconds']
        if self.peer_name.startswith('tf.data') and 'records_per_second_total' in result:
            return result['records_per_second_total']   # as an outside clock sees it: the first batch counts
        return result.get('records_per_second') or self.records / result['seconds']

    def median(self, side, key=None):
        return statistics.median(pair[side][key] if key else self.value(pair[side]) for pair in self.runs)

    def memory(self, side):
        rss = self.median(side, 'rss')
        return ('%.0f' if rss > self.floor else '≤ %.0f') % (rss / 2**20)

    def ratio(self, ours, peer):
        return ours / peer if self.rate else peer / ours

    def line(self):
        show = (lambda v: '%.0f/s' % v) if self.rate else lambda v: '%.3f s' % v if v >= 0.0995 else '%.1f ms' % (v * 1e3) if v >= 1e-3 else '%.1f µs' % (v * 1e6)
        each = sorted(self.ratio(self.value(a), self.value(b)) for a, b in self.runs)
        return '| %s | %s | %s: %s | **%.2f** (%.2f–%.2f) | %s | %s / %s MiB | %.2f / %.2f s |' % (
            self.job, show(self.median(0)), self.peer_name, show(self.median(1)),
            self.ratio(self.median(0), self.median(1)), each[0], each[-1], self.goal,
            self.memory(0), self.memory(1), self.median(0, 'cpu'), self.median(1, 'cpu'))
