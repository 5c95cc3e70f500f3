"""Sets as sources and sinks of Apache Beam.

    import apache_beam as beam, tfrkit.beam

    with beam.Pipeline() as pipeline:
        (pipeline | tfrkit.beam.ReadRecords('train@16.tfrecord')
                  | beam.Filter(wanted)
                  | tfrkit.beam.WriteRecords('out@64.tfrecord'))

Elements are payloads, as bytes.  All workers see the files under the same paths: in a shared file system or in a bucket.
"""
from __future__ import annotations

import hashlib
import os
import uuid
from collections.abc import Iterable, Iterator
from typing import Any

import apache_beam as beam

from . import tools
from .reader import Inputs, payloads_of, pieces
from .writer import Writer, target_of

__all__ = ['ReadRecords', 'WriteRecords']

_RANGE = 64 << 20     # bytes of a range of records: each worker reads the index of its file
_RANGES = 1 << 16     # of a file, at most


class ReadRecords(beam.PTransform):
    """The records of `inputs`, with every checksum verified.

    Workers read files, and ranges of files that have an index.  The inputs are found where the pipeline is made."""

    def __init__(self, inputs: Inputs) -> None:
        super().__init__()
        self._pieces = pieces(inputs, _RANGES, _RANGE)

    def expand(self, start: Any) -> beam.PCollection[bytes]:
        return (start | 'Ranges' >> beam.Create(self._pieces) | beam.Reshuffle()
                | 'Read' >> beam.FlatMap(payloads_of).with_output_types(bytes))


class WriteRecords(beam.PTransform):
    """Writes payloads as a set with its manifest, and gives the name of the set when it is complete.

    A hash of `seed` and payload decides the shard of a record and its place there.  So the set is shuffled, and has the
    same bytes for any runner, any number of workers and any work that is repeated.  A worker holds a shard in memory.  A
    shard appears complete or not at all."""

    def __init__(self, target: str | os.PathLike, *, seed: int = 0, compression: str = 'auto', level: int | None = None,
                 overwrite: bool = False) -> None:
        super().__init__()
        self._target, self._shards = target_of(target)
        self._key = b'%d' % seed
        self._options = {'compression': compression, 'level': level, 'overwrite': overwrite,
                         'run': uuid.uuid4().hex if self._shards else None}

    def expand(self, payloads: beam.PCollection[bytes]) -> beam.PCollection[str]:
        shards, key = self._shards or 1, self._key
        target, options, is_set = self._target, self._options, bool(self._shards)

        def shard_of(payload: bytes) -> tuple[int, tuple[bytes, bytes]]:
            place = hashlib.blake2b(payload, digest_size=8, key=key).digest()
            return int.from_bytes(place, 'big') % shards, (place, payload)

        def write(shard: tuple[int, Iterable]) -> int:
            with Writer(target, part=(shard[0], shards) if is_set else None, **options) as writer:
                for _, payload in sorted(each for each in shard[1] if each):
                    writer.write(payload)
            return 1

        def finish(written: int) -> str:
            if is_set:
                tools.finish(target)
            return target

        empty = payloads.pipeline | 'Shards' >> beam.Create([(k, ()) for k in range(shards)])   # one without records is written, too
        return ((payloads | 'Divide' >> beam.Map(shard_of), empty) | beam.Flatten() | beam.GroupByKey()
                | 'Write' >> beam.Map(write) | beam.CombineGlobally(sum) | 'Finish' >> beam.Map(finish))
