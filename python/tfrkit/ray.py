"""Sets as Datasets of Ray.

    import tfrkit.ray

    data = tfrkit.ray.read('train@16.tfrecord', {'label': 'int64', 'x': 'float[2]'})

Tasks of Ray read files, and ranges of files that have an index.  Each of them verifies every checksum
that it reads.  All nodes see the files under the same paths: in a shared file system or in a bucket.
"""
from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow
import ray
import ray.data
from ray.data.block import BlockMetadata

from . import columns
from .errors import DataError
from .reader import Inputs, Piece, part, payloads_of, pieces

__all__ = ['read']

PAYLOAD = 'payload'
_RANGE = 64 << 20    # bytes of a range of records: each task reads the index of its file
_BLOCK = 32 << 20    # payload bytes of a block; Ray joins small blocks and divides large ones
_TOGETHER = 64       # records between two looks at their size


def read(inputs: Inputs, features: columns.Features | None = None, **options: Any) -> ray.data.Dataset:
    """The records of `inputs` as a Dataset of Arrow's blocks.

    `features` are those of tfrkit.batches(), and None reads all records first and takes all features.  With
    features='payload', the one column `payload` has the records as bytes, be they Examples or not.  The rows of a padded
    feature are as long as the longest of their block.

    `options` are those of ray.data.read_datasource(), such as override_num_blocks, concurrency and num_cpus."""
    if features is None:
        features = columns.every_feature(inputs)
    return ray.data.read_datasource(_Records(inputs, features), **options)


class _Records(ray.data.Datasource):
    def __init__(self, inputs: Inputs, features: columns.Features) -> None:
        super().__init__()
        self._features = features
        self._files = pieces(inputs, 1, _RANGE)

    def get_name(self) -> str:
        return 'TFRecord'

    def estimate_inmemory_data_size(self) -> int | None:
        try:
            return sum(os.path.getsize(path) for path, _, _ in self._files)
        except OSError:   # a URL
            return None

    def get_read_tasks(self, parallelism: int, per_task_row_limit: int | None = None,
                       data_context: Any = None) -> list[ray.data.ReadTask]:
        parts = -(-parallelism // max(1, len(self._files)))
        found = self._files if parts == 1 else pieces([path for path, _, _ in self._files], parts, _RANGE)
        tasks = min(parallelism, len(found))
        ranges = (part(len(found), k, tasks) for k in range(tasks))
        return [self._task(found[start:end], per_task_row_limit) for start, end in ranges]

    def _task(self, wanted: list[Piece], limit: int | None) -> ray.data.ReadTask:
        about = BlockMetadata(num_rows=None, size_bytes=None, input_files=[path for path, _, _ in wanted], exec_stats=None)
        return ray.data.ReadTask(functools.partial(_blocks, wanted, self._features), about, schema=_schema(self._features),
                                 per_task_row_limit=limit)


def _schema(features: columns.Features) -> pyarrow.Schema:
    if features == PAYLOAD:
        return pyarrow.schema([(PAYLOAD, pyarrow.large_binary())])
    return pyarrow.schema(columns.parsed_features(features))


def _blocks(wanted: Iterable[Piece], features: columns.Features) -> Iterator[pyarrow.Table]:
    for piece in wanted:
        at = piece[1]
        for payloads in _gathered(payloads_of(piece)):
            if features == PAYLOAD:
                yield pyarrow.table([pyarrow.array(payloads, pyarrow.large_binary())], [PAYLOAD])
            else:
                yield pyarrow.Table.from_batches([pyarrow.record_batch(_parsed(payloads, features, piece[0], at))])
            at += len(payloads)


def _gathered(payloads: Iterator[bytes]) -> Iterator[list[bytes]]:
    rows, size = [], 0
    while more := list(itertools.islice(payloads, _TOGETHER)):
        rows += more
        size += sum(map(len, more))
        if size >= _BLOCK:
            yield rows
            rows, size = [], 0
    if rows:
        yield rows


def _parsed(payloads: list[bytes], features: columns.Features, path: str, at: int) -> columns.Batch:
    try:
        return columns.parse(payloads, features)
    except DataError as error:
        number = at + (error.record or 0)
        named = DataError("%s, which is record %d of '%s'" % (error, number, path))
        named.file, named.record = path, number
        raise named from None
