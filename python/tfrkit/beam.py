"""Sets as sources of Apache Beam.

    import apache_beam as beam, tfrkit.beam

    with beam.Pipeline() as pipeline:
        pipeline | tfrkit.beam.ReadRecords('train@16.tfrecord') | beam.Filter(wanted) | ...

Elements are payloads, as bytes.  All workers see the files under the same paths: in a shared file system or in a bucket.
"""
from __future__ import annotations

from typing import Any

import apache_beam as beam

from .reader import Inputs, payloads_of, pieces

__all__ = ['ReadRecords']

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
