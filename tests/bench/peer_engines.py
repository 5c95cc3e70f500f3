"""Readers of engines at the jobs of scripts/bench; prints one JSON object.

  peer_engines.py ray  tfrkit|ray   FILE COUNT   the columns of COUNT records into Ray's object store, all features
  peer_engines.py beam tfrkit|beam  FILE COUNT   COUNT payloads, each of which goes to a Map(len)

One process, which reads the file twice and counts it: the engine and its workers start during the first time, the second
one is timed."""
import json
import logging
import os
import sys
import time


def ray_reader(library, path, count):
    import ray
    import ray.data
    ray.init(num_cpus=len(os.sched_getaffinity(0)), include_dashboard=False, log_to_driver=False, logging_level='critical')
    logging.getLogger('ray.data').setLevel(logging.CRITICAL)
    ray.data.DataContext.get_current().enable_progress_bars = False
    if library == 'tfrkit':
        import tfrkit.ray
        make = tfrkit.ray.read
    else:
        make = ray.data.read_tfrecords

    def read():
        found = sum(bundle.num_rows() for bundle in make(path).iter_internal_ref_bundles())
        assert found == count, found

    read()
    return read


def beam_reader(library, path, count):
    import apache_beam as beam
    from apache_beam.testing.util import assert_that, equal_to
    if library == 'tfrkit':
        import tfrkit.beam
        source = tfrkit.beam.ReadRecords
    else:
        source = beam.io.ReadFromTFRecord

    with beam.Pipeline() as pipeline:
        assert_that(pipeline | source(path) | beam.combiners.Count.Globally(), equal_to([count]))

    def read():
        with beam.Pipeline() as pipeline:
            pipeline | source(path) | beam.Map(len)
    return read


def main(engine, library, path, count):
    read = {'ray': ray_reader, 'beam': beam_reader}[engine](library, path, int(count))
    start = time.perf_counter()
    read()
    passed = time.perf_counter() - start
    print(json.dumps({'seconds': passed, 'records_per_second': int(count) / passed}))


if __name__ == '__main__':
    main(*sys.argv[1:])
