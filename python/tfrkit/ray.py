"""Sets as Datasets of Ray.

    import tfrkit.ray

    data = tfrkit.ray.read('train@16.tfrecord', {'label': 'int64', 'x': 'float[2]'})
    tfrkit.ray.write(data.random_shuffle(), 'shuffled@64.tfrecord')

Tasks of Ray read files, and ranges of files that have an index, and write shards.  Each of them verifies every checksum
that it reads.  All nodes see the files under the same paths: in a shared file system or in a bucket.
"""
from __future__ import annotations

import functools
import itertools
import os
import uuid
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow
import ray
import ray.data
from ray.data.block import BlockMetadata

from . import columns, tools
from .errors import DataError, UsageError
from .example import encode_example
from .reader import Inputs, Piece, part, payloads_of, pieces
from .writer import Writer, target_of

__all__ = ['read', 'write']

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
        self._files = [path for path, _, _ in pieces(inputs, 1, _RANGE)]

    def get_name(self) -> str:
        return 'TFRecord'

    def estimate_inmemory_data_size(self) -> int | None:
        try:
            return sum(os.path.getsize(path) for path in self._files)
        except OSError:   # a URL
            return None

    def get_read_tasks(self, parallelism: int, per_task_row_limit: int | None = None,
                       data_context: Any = None) -> list[ray.data.ReadTask]:
        found = pieces(self._files, -(-parallelism // len(self._files)), _RANGE)
        tasks = min(parallelism, len(found))
        wanted = (found[slice(*part(len(found), k, tasks))] for k in range(tasks))
        return [ray.data.ReadTask(functools.partial(_blocks, each, self._features), schema=_schema(self._features),
                                  metadata=BlockMetadata(num_rows=None, size_bytes=None, exec_stats=None,
                                                         input_files=[path for path, _, _ in each]),
                                  per_task_row_limit=per_task_row_limit) for each in wanted]


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
        error.file, error.record = path, at + error.record
        error.args = ("%s, which is record %d of '%s'" % (error, error.record, path),)
        raise


def write(dataset: ray.data.Dataset, target: str | os.PathLike, *, features: str | None = None, compression: str = 'auto',
          level: int | None = None, overwrite: bool = False) -> None:
    """Writes the rows as a set with its manifest: one task per shard.

    A row becomes an Example with a feature per column; one that is null or an empty list is left out.  With
    features='payload', the column `payload` has the records.  The rows are divided evenly, in their order.  A shard appears
    complete or not at all, and a task that Ray repeats replaces its own shard; the set is complete when all are."""
    if features not in (None, PAYLOAD):
        raise UsageError("features is None or 'payload', not %r" % (features,))
    target, named = target_of(target)
    shards = named or 1
    options = {'compression': compression, 'level': level, 'overwrite': overwrite, 'run': uuid.uuid4().hex if named else None}
    if features == PAYLOAD:
        dataset = dataset.select_columns([PAYLOAD])
    blocks = dataset.repartition(shards).to_arrow_refs()
    tasks = [_write.remote(block, target, options | {'part': (k, shards) if named else None}, features == PAYLOAD)
             for k, block in enumerate(blocks)]
    try:
        ray.get(tasks)
    except BaseException:   # the others would compete with a job that starts again
        for task in tasks:
            ray.cancel(task)
        ray.wait(tasks, num_returns=len(tasks))
        raise
    if named:
        tools.finish(target)


@ray.remote
def _write(table: pyarrow.Table, target: str, options: dict[str, Any], payloads: bool) -> None:
    with Writer(target, **options) as writer:
        for rows in table.to_batches(max_chunksize=1024):
            for row in rows.to_pylist():
                writer.write(row[PAYLOAD] if payloads else encode_example(
                    {name: value for name, value in row.items() if not (value is None or isinstance(value, list) and not value)}))
