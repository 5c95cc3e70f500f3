#!/usr/bin/env python3
"""Train a small network with PyTorch: train_pytorch.py [SET]

SET has Examples with the features 'x' (two floats) and 'label' (int64); without it, a set is made.
"""
import sys

import make_points
import tfrkit.torch
import torch
from torch.utils.data import DataLoader


def parse(payload):
    example = tfrkit.Example(payload)
    return torch.tensor(example['x']), example['label'][0]


def main():
    data = tfrkit.torch.Dataset(make_points.path_of(sys.argv), parse)   # shard=(rank, world) for distributed training
    loader = DataLoader(data, batch_size=64, shuffle=True, num_workers=2)
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(3):
        right = 0
        for x, label in loader:
            scores = model(x)
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(scores, label).backward()
            optimizer.step()
            right += (scores.argmax(1) == label).sum().item()
        print('epoch %d: %.0f %% right' % (epoch, 100 * right / len(data)))


if __name__ == '__main__':
    main()
