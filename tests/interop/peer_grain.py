#!/usr/bin/env python3
"""Grain reads through tfrkit: peer_grain.py INPUT; payloads are numbers in decimal.  What it asserts must hold."""
import json
import sys

import grain
import tfrkit
import tfrkit.grain
from absl import app
from grain.sources import RandomAccessDataSource


def numbers(batches):
    return [number for batch in batches for number in batch.tolist()]


def main(arguments):
    path = arguments[1]
    wanted = [int(payload) for payload in tfrkit.Reader(path)]
    data = tfrkit.grain.IterDataset(path)
    assert [int(payload) for payload in data] == wanted
    assert [int(payload) for rank in range(3) for payload in tfrkit.grain.IterDataset(path, shard=(rank, 3))] == wanted

    batches = data.map(int).batch(10)
    iterator = iter(batches)
    for _ in range(5):
        next(iterator)
    state = json.loads(json.dumps(iterator.get_state()))
    rest = numbers(iterator)
    assert rest == wanted[50:]
    again = iter(batches)
    again.set_state(state)
    assert numbers(again) == rest
    other = iter(tfrkit.grain.IterDataset(path, shard=(0, 2)))
    try:
        other.set_state(iter(data).get_state())
        raise AssertionError('the state of another shard was accepted')
    except ValueError as error:
        assert 'another dataset or shard' in str(error)

    processes = grain.multiprocessing.MultiprocessingOptions(num_workers=2)
    assert sorted(numbers(batches.mp_prefetch(processes))) == sorted(wanted)

    reader = tfrkit.Reader(path)
    assert isinstance(reader, RandomAccessDataSource)
    mixed = grain.MapDataset.source(reader).shuffle(seed=1).map(int)
    assert list(mixed) != wanted and sorted(mixed) == sorted(mixed.to_iter_dataset()) == sorted(wanted)
    sampler = grain.samplers.IndexSampler(len(wanted), num_epochs=1, shuffle=True, seed=0)
    assert sorted(map(int, grain.DataLoader(data_source=reader, sampler=sampler, worker_count=2))) == sorted(wanted)


if __name__ == '__main__':
    app.run(main)
