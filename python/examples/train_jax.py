#!/usr/bin/env python3
"""Train a logistic regression with JAX, fed by Grain: train_jax.py [SET]

Grain shuffles records by number and keeps the position for checkpoints.  tfrkit.grain.IterDataset reads in order instead,
which is faster.
"""
import sys

import grain
import jax
import jax.numpy as jnp
import make_points
import numpy
import tfrkit


def parse(payload):
    example = tfrkit.Example(payload)
    x = example['x']
    return {'x': numpy.concatenate([x, x * x]), 'label': example['label'][0]}


@jax.jit
def step(weights, x, label):
    def loss(weights):
        score = x @ weights[:-1] + weights[-1]
        return jnp.mean(jnp.logaddexp(0, score) - label * score)

    value, slope = jax.value_and_grad(loss)(weights)
    return weights - 2.0 * slope, value


def main():
    reader = tfrkit.Reader(make_points.path_of(sys.argv))
    data = grain.MapDataset.source(reader).seed(1).shuffle().map(parse).repeat(4).batch(64)
    weights, losses = jnp.zeros(5), []
    for batch in data.to_iter_dataset():
        weights, value = step(weights, batch['x'], batch['label'])
        losses.append(float(value))
    print('loss %.3f, then %.3f' % (losses[0], losses[-1]))


if __name__ == '__main__':
    main()
