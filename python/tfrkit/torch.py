"""Datasets for PyTorch.

    import torch, tfrkit.torch

    data = tfrkit.torch.Dataset('train@16.tfrecord', parse)           # by number: DataLoader(shuffle=True) works
    data = tfrkit.torch.IterableDataset('train@16.tfrecord', parse)   # in order: faster, and needs no index

`parse` gets the payload of a record as bytes and returns the sample.  Both work with the workers of a DataLoader, by
fork and by spawn, and with shard=(rank, world) each process reads a part of its own: a contiguous range of record
numbers.  Every sample is seen once per epoch.
"""
from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.utils.data

from .reader import Inputs, Reader, part

__all__ = ['Dataset', 'IterableDataset']


class _Part:
    """The records of one rank, and what becomes of them."""

    def __init__(self, inputs: Inputs, transform: Callable[[bytes], Any] | None, shard: tuple[int, int], drop_last: bool,
                 allow_missing: bool) -> None:
        self.reader = Reader(inputs, allow_missing=allow_missing)
        self.transform = transform
        count = len(self.reader)
        self.start, self.stop = part(count, *shard)
        if drop_last:
            self.stop = self.start + count // shard[1]

    def __len__(self) -> int:
        return self.stop - self.start


class Dataset(_Part, torch.utils.data.Dataset):
    """The records by number.

    `transform(payload)` makes the sample; None: the payload itself, as bytes.  `shard=(rank, world)` is one of `world`
    parts, whose sizes differ by one at most; with `drop_last` they are all as large as the smallest, which training in
    step needs.  Write the indexes of large sets (`tfr index`), or the first access follows the headers of its file."""

    def __init__(self, inputs: Inputs, transform: Callable[[bytes], Any] | None = None, *, shard: tuple[int, int] = (0, 1),
                 drop_last: bool = False, allow_missing: bool = False) -> None:
        super().__init__(inputs, transform, shard, drop_last, allow_missing)

    def __getitem__(self, number: int) -> Any:
        if not -len(self) <= number < len(self):
            raise IndexError('there is no sample %d: the number of samples is %d' % (number, len(self)))
        payload = self.reader[self.start + number % len(self)]
        return self.transform(payload) if self.transform else payload


class IterableDataset(_Part, torch.utils.data.IterableDataset):
    """The records in order, or shuffled within a buffer.

    `transform`, `shard` and `drop_last` are those of Dataset.  Each worker of a DataLoader reads a contiguous range of the
    part.  With `shuffle=N`, samples are drawn from a buffer of N payloads per worker; torch.manual_seed() repeats the order,
    and each epoch has another one.  `tfr shuffle-to-disk` shuffles a set completely."""

    def __init__(self, inputs: Inputs, transform: Callable[[bytes], Any] | None = None, *, shard: tuple[int, int] = (0, 1),
                 drop_last: bool = False, shuffle: int = 0, allow_missing: bool = False) -> None:
        super().__init__(inputs, transform, shard, drop_last, allow_missing)
        self.shuffle = shuffle

    def __iter__(self) -> Iterator[Any]:
        worker = torch.utils.data.get_worker_info()
        start, stop = part(len(self), worker.id, worker.num_workers) if worker else (0, len(self))
        payloads = self.reader.range(self.start + start, self.start + stop)
        if self.shuffle:
            # Not the seed of the worker: workers that persist would repeat the order of their first epoch.
            payloads = _shuffled(payloads, self.shuffle, random.Random(torch.randint(2 ** 62, ()).item()))
        return map(self.transform, payloads) if self.transform else payloads


def _shuffled(payloads: Iterator[bytes], size: int, rng: random.Random) -> Iterator[bytes]:
    buffer: list[bytes] = []
    for payload in payloads:
        if len(buffer) < size:
            buffer.append(payload)
            continue
        k = rng.randrange(size)
        yield buffer[k]
        buffer[k] = payload
    rng.shuffle(buffer)
    yield from buffer
