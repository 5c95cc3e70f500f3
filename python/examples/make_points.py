"""A set for the examples: points in a square, and whether they are within a circle."""
import os
import random
import tempfile

import tfrkit

COUNT = 4000


def make(path):
    rng = random.Random(1)
    with tfrkit.Writer(path) as writer:
        for number in range(COUNT):
            x, y = rng.uniform(-1, 1), rng.uniform(-1, 1)
            writer.write(tfrkit.encode_example({'id': number, 'x': [x, y], 'label': int(x * x + y * y < 0.6)}))


def path_of(arguments):
    """The set that the command line names, or a new one."""
    if len(arguments) > 1:
        return arguments[1]
    path = os.path.join(tempfile.mkdtemp(prefix='tfrkit-'), 'points@4.tfrecord')
    make(path)
    return path
