"""The cases of Beam: exchange_beam.py FOLDER PAGE [CASE]...  exchanges.py runs it in FOLDER."""
import collections
import os
import sys

try:
    import apache_beam as beam
    from apache_beam.runners.portability.fn_api_runner import FnApiRunner
    from apache_beam.testing.util import assert_that, equal_to
except ImportError as error:
    sys.exit('unavailable: %s' % error)

import tfrkit
import tfrkit.beam
from exchange_cases import KEPT, case, digests, expect, keep, records, run, tfr, written


def copy(source, target, runner=None, **options):
    with beam.Pipeline(runner=runner) as pipeline:
        name = pipeline | tfrkit.beam.ReadRecords(source) | tfrkit.beam.WriteRecords(target, **options)
        assert_that(name, equal_to([os.path.abspath(target)]))


def read(inputs):
    KEPT.clear()
    with beam.Pipeline() as pipeline:
        pipeline | tfrkit.beam.ReadRecords(inputs) | beam.Map(keep)
    return collections.Counter(KEPT)


@case
def files_and_ranges():
    assert read(['data@4.tfrecord', 'images@4.tfrecord']) == records('data@4.tfrecord', 'images@4.tfrecord')
    least, tfrkit.beam._RANGE = tfrkit.beam._RANGE, 1 << 20
    assert len(tfrkit.beam.ReadRecords('large.tfrecord')._pieces) > 10
    assert read('large.tfrecord') == records('large.tfrecord')
    tfrkit.beam._RANGE = least
    tfr('cat', '-q', 'data@4.tfrecord', '-o', 'data.tfrecord.gz')
    assert read('data.tfrecord.gz') == records('data@4.tfrecord')


@case
def damage_fails_the_pipeline_and_is_named():
    expect(r'checksum.*damaged\.tfrecord.*record 600\b', lambda: read('damaged.tfrecord'))
    expect('No such file', lambda: tfrkit.beam.ReadRecords('absent.tfrecord'))


@case
def a_set_has_the_same_bytes_whoever_writes_it():
    copy('data@4.tfrecord', 'first@6.tfrecord', seed=3)
    sizes = written('first@6.tfrecord', records('data@4.tfrecord'))
    assert 350 < min(sizes) and max(sizes) < 650, sizes
    tfr('shuffle-to-disk', '-q', 'data@4.tfrecord', '-o', 'mixed.tfrecord', '--seed', '8')
    copy('mixed.tfrecord', 'second@6.tfrecord', FnApiRunner(bundle_repeat=1), seed=3)   # every bundle runs twice
    written('second@6.tfrecord', records('data@4.tfrecord'))
    assert digests('first@6.tfrecord') == digests('second@6.tfrecord')
    copy('data@4.tfrecord', 'third@6.tfrecord.gz', seed=4)
    written('third@6.tfrecord.gz', records('data@4.tfrecord'))
    assert list(tfrkit.Reader('third@6.tfrecord.gz')) != list(tfrkit.Reader('first@6.tfrecord'))


@case
def fewer_records_than_shards():
    with beam.Pipeline() as pipeline:
        pipeline | beam.Create([b'a', b'a', b'', b'\0\xff']) | tfrkit.beam.WriteRecords('few@40.tfrecord')
    assert sum(written('few@40.tfrecord', collections.Counter({b'a': 2, b'': 1, b'\0\xff': 1}))) == 4


@case
def a_file_and_a_target_that_exists():
    copy('data@4.tfrecord', 'one.tfrecord')
    assert records('one.tfrecord') == records('data@4.tfrecord')
    for target in 'one.tfrecord', 'first@6.tfrecord':
        before = records(target)
        expect('will not overwrite', lambda: copy('images@4.tfrecord', target))
        assert records(target) == before
        copy('images@4.tfrecord', target, overwrite=True)
        assert records(target) == records('images@4.tfrecord')


if __name__ == '__main__':
    os.chdir(sys.argv[1])
    run(sys.argv[2], 'Beam', sys.argv[3:])
