"""The programs of python/README.md that need no framework run as they are."""
import contextlib
import importlib.util
import io
import os
import pathlib
import re

import tfrkit
from support import Case

README = pathlib.Path(__file__).parent.parent.parent / 'python' / 'README.md'


class Programs(Case):
    def setUp(self):
        super().setUp()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.dir)
        with tfrkit.Writer('train@4.tfrecord') as writer:
            for k in range(1000):
                ids = {'ids': list(range(k % 4))} if k % 4 else {}
                writer.write(tfrkit.encode_example({'label': k % 3, 'x': [k, 0.5], 'name': 'n%d' % k, **ids}))

    def test_programs(self):
        programs = [each for each in re.findall(r'```python\n(.*?)```', README.read_text(), re.S)
                    if 'tfrkit.batches(' in each or 'encode_example' in each]
        self.assertGreaterEqual(len(programs), 5)
        for program in programs:
            names = re.findall(r'[\w.]+', re.search('^import (.*)', program).group(1)) + ['numpy']
            with self.subTest(program):
                missing = [name for name in names if not importlib.util.find_spec(name.partition('.')[0])]
                if missing:
                    self.skipTest('not installed: ' + ', '.join(missing))
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(program, {})
