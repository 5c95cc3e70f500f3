#!/usr/bin/env python3
"""A training that reads by tfrkit.torch: peer_torch.py INPUT... ; a payload is `<q5f`: a number, and four inputs with their sum.

For each class of dataset, number of workers and way to start them, two ranks read each epoch; prints a JSON object for each: the
samples seen per epoch, sorted, and the loss of each epoch.
"""
import itertools
import json
import struct
import sys
import warnings

import tfrkit.torch
import torch
from torch.utils.data import DataLoader, get_worker_info

EPOCHS = 2
WAYS = [(0, None), (2, 'fork'), (2, 'spawn'), (4, 'fork')]


def parse(payload):
    number, *values = struct.unpack('<q5f', payload)
    return number, torch.tensor(values[:4]), torch.tensor(values[4:])


def fail_in_worker(payload):
    raise KeyError('no such feature in worker %d' % get_worker_info().id)


def train(make, workers, way, shuffle):
    torch.manual_seed(1)
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    loaders = [DataLoader(make((rank, 2)), batch_size=32, num_workers=workers, multiprocessing_context=way, shuffle=shuffle,
                          persistent_workers=workers > 0) for rank in range(2)]
    seen, losses = [], []
    for _ in range(EPOCHS):
        numbers, total = [], 0.0
        for number, x, y in itertools.chain.from_iterable(loaders):
            loss = torch.nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            numbers += number.tolist()
            total += loss.item() * len(number)
        seen.append(sorted(numbers))
        losses.append(total / len(numbers))
    return {'seen': seen, 'losses': losses}


def main():
    warnings.filterwarnings('ignore', 'This DataLoader will create')   # more workers than processors
    inputs = sys.argv[1:]
    for workers, way in WAYS:
        for shuffle in True, None:
            def make(shard):
                if shuffle:
                    return tfrkit.torch.Dataset(inputs, parse, shard=shard)
                return tfrkit.torch.IterableDataset(inputs, parse, shard=shard, shuffle=100)
            print(json.dumps({'workers': workers, 'way': way, 'by_number': shuffle, **train(make, workers, way, shuffle)}))
    one = tfrkit.torch.IterableDataset(inputs, shuffle=50)
    orders = []
    for seed in 3, 3, 4:
        torch.manual_seed(seed)
        orders.append(list(one))
    equal = [len(tfrkit.torch.Dataset(inputs, shard=(rank, 3), drop_last=True)) for rank in range(3)]
    try:
        list(DataLoader(tfrkit.torch.IterableDataset(inputs, fail_in_worker), num_workers=2))
        failure = ''
    except KeyError as error:
        failure = str(error)
    print(json.dumps({'repeats': orders[0] == orders[1] != orders[2], 'equal': equal, 'failure': failure,
                      'in_order': list(tfrkit.torch.IterableDataset(inputs)) == list(tfrkit.Reader(inputs))}))


if __name__ == '__main__':
    main()
