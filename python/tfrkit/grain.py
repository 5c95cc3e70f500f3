"""A data source for Grain.

    import grain, tfrkit.grain

    data = tfrkit.grain.IterDataset('train@16.tfrecord').map(parse).batch(256)
    data = grain.MapDataset.source(tfrkit.Reader('train@16.tfrecord')).shuffle(seed=1).map(parse)

A Reader is a data source for random access already.  IterDataset reads in order and is faster.  Its iterators have
get_state() and set_state(), and mp_prefetch() divides its records among the processes.
"""
from __future__ import annotations

from typing import Any

import grain

from .reader import Inputs, Reader, part

__all__ = ['IterDataset']


class _Iterator(grain.DatasetIterator):
    def __init__(self, reader: Reader, start: int, stop: int) -> None:
        super().__init__()
        self._reader, self._next, self._stop = reader, start, stop
        self._records = None

    def __next__(self) -> bytes:
        if self._records is None:
            self._records = self._reader.range(self._next, self._stop)
        payload = next(self._records)
        self._next += 1
        return payload

    def get_state(self) -> dict[str, Any]:
        return {'record': self._next, 'end': self._stop}

    def set_state(self, state: dict[str, Any]) -> None:
        if state['end'] != self._stop:
            raise ValueError('the state is of another dataset or shard: it ends at record %d, this one at %d'
                             % (state['end'], self._stop))
        self._next, self._records = state['record'], None


class IterDataset(grain.IterDataset):
    """The payloads in order, as bytes.  `shard=(rank, world)` is one of `world` contiguous parts."""

    def __init__(self, inputs: Inputs, *, shard: tuple[int, int] = (0, 1), allow_missing: bool = False) -> None:
        super().__init__()
        self._reader = Reader(inputs, allow_missing=allow_missing)
        self._start, self._stop = part(len(self._reader), *shard)

    def __iter__(self) -> _Iterator:
        return _Iterator(self._reader, self._start, self._stop)

    def set_slice(self, sl: slice, sequential_slice: bool = False) -> None:
        """The part of process `sl.start` of `sl.step`.  Grain calls it."""
        start, stop = part(self._stop - self._start, sl.start or 0, sl.step or 1)
        self._start, self._stop = self._start + start, self._start + stop

    def __str__(self) -> str:
        return 'tfrkit.grain.IterDataset(%r, records %d to %d)' % (self._reader, self._start, self._stop)
