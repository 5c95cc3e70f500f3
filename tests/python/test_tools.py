"""schema() and check(), which run the command."""
import os
import pathlib
import subprocess
import sys
import unittest
from unittest import mock

import tfrkit
from support import Case, framed
from tfrkit import command

TOP = pathlib.Path(tfrkit.__file__).resolve().parent.parent.parent   # the build directory
DATA = pathlib.Path(__file__).resolve().parent.parent / 'data'
PROGRAM = TOP / 'cmd' / 'tfr'


@unittest.skipUnless(PROGRAM.exists(), 'the command is not built')
class Tools(Case):
    def setUp(self):
        super().setUp()
        path = mock.patch.dict(os.environ, PATH='%s:%s' % (PROGRAM.parent, os.environ['PATH']))
        path.start()
        self.addCleanup(path.stop)

    def test_the_schema_names_the_features(self):
        schema = tfrkit.schema(DATA / 'images.tfrecord')
        features = {feature['name']: feature for feature in schema['features']}
        self.assertEqual(features['image/encoded']['kind'], 'bytes')
        self.assertEqual(schema['records'], len(tfrkit.Reader(DATA / 'images.tfrecord')))
        some = tfrkit.schema([DATA / 'kinds.tfrecord'], where='image/class/label >= 0')
        self.assertLess(some['records'], tfrkit.schema(DATA / 'kinds.tfrecord')['records'])

    def test_check_lists_the_faults(self):
        good, bad = framed(b'one'), bytearray(framed(b'two'))
        bad[-1] ^= 1
        self.assertEqual(tfrkit.check(self.file('good', good))['faults'], [])
        found = tfrkit.check([self.file('bad', good + bad), self.dir / 'good'])
        self.assertEqual((found['files'], found['bad_files'], len(found['faults'])), (2, 1, 1))
        self.assertEqual(found['faults'][0]['record'], 1)

    def test_a_failure_is_the_exception_with_what_the_command_prints(self):
        with self.assertRaises(tfrkit.UsageError) as caught:
            tfrkit.check(self.file('a', b''), exampel=True)
        self.assertIn("unknown option 'exampel'", str(caught.exception))
        self.assertIn("'example'", caught.exception.hint)
        with self.assertRaisesRegex(tfrkit.FileError, 'none'):
            tfrkit.schema(self.dir / 'none')
        with self.assertRaisesRegex(tfrkit.DataError, 'no Examples'):
            tfrkit.schema(self.file('b', framed(b'\xff')))
        with self.assertRaises(tfrkit.UsageError):
            tfrkit.check([])

    def test_a_set_that_parts_have_written(self):
        target = str(self.dir / 'x@7.tfrecord')

        def write(part, run='one', **options):
            with tfrkit.Writer(target, part=(part, 4), run=run, **options) as writer:
                for k in range(5):
                    writer.write(b'%d-%d' % (part, k))

        for part in 3, 0, 1, 0:   # one of them twice
            write(part)
        with self.assertRaisesRegex(tfrkit.DataError, 'part 2 of 4 has not finished'):
            tfrkit.finish(target)
        self.assertEqual([name for name in self.names() if name.endswith('manifest.json')], [])
        write(2, 'another')
        with self.assertRaisesRegex(tfrkit.DataError, "part 2 is from another run: part 0 had 'run one'"):
            tfrkit.finish(target)
        write(2)
        for _ in range(2):
            tfrkit.finish(target)
            self.assertEqual(self.names(), ['x-%05d-of-00007.tfrecord' % k for k in range(7)] + ['x.7-tfrecord.manifest.json'])
        self.assertEqual(tfrkit.check(target, manifest=True)['faults'], [])
        self.assertEqual([list(tfrkit.Reader(path)) for path in tfrkit.Reader(target).files],
                         [[b'%d-%d' % (k % 4, n) for n in range(k // 4, 5, 2 if k < 3 or k > 3 else 1)] for k in range(7)])
        with self.assertRaises(tfrkit.ExistsError):
            write(1)
        write(1, overwrite=True)   # as work that is repeated after the set was finished
        self.assertEqual(tfrkit.check(target, manifest=True)['faults'], [])

    def test_a_name_that_looks_like_an_option_is_a_file(self):
        self.file('--help', framed(b'x'))
        before = os.getcwd()
        os.chdir(self.dir)
        self.addCleanup(os.chdir, before)
        self.assertEqual(tfrkit.check('--help')['records'], 1)

    def test_another_version_and_no_command_are_refused(self):
        other = self.file('tfr', b'#!/bin/sh\necho tfr 0.0.1\n')
        other.chmod(0o755)
        with mock.patch.dict(os.environ, PATH=str(self.dir)), self.assertRaisesRegex(tfrkit.UnavailableError, 'not tfr'):
            tfrkit.check(self.dir)
        with mock.patch.dict(os.environ, PATH='/nowhere'), self.assertRaisesRegex(tfrkit.UnavailableError, 'PATH'):
            tfrkit.check(self.dir)

    def test_the_entry_point_is_the_command(self):
        self.assertEqual(command.find(), str(PROGRAM))
        ran = subprocess.run([sys.executable, '-c', 'from tfrkit.command import main; main()', 'count', DATA / 'images.tfrecord'],
                             capture_output=True, text=True)
        self.assertEqual(ran.stdout, subprocess.run([PROGRAM, 'count', DATA / 'images.tfrecord'], capture_output=True,
                                                    text=True).stdout)
        self.assertEqual(ran.returncode, 0)
