#!/usr/bin/env python3
"""Fit a plane to features with NumPy, from batches of columns: fit_numpy.py [SET]

The columns are views of what the library parsed; nothing is copied.
"""
import sys

import make_points
import numpy
import tfrkit


def main():
    path = make_points.path_of(sys.argv)
    products, sums = numpy.zeros((3, 3)), numpy.zeros(3)
    for batch in tfrkit.batches(path, {'x': 'float[2]', 'label': 'int64'}, batch=256):
        squares = numpy.column_stack([numpy.square(batch['x']), numpy.ones(batch.records)])
        products += squares.T @ squares
        sums += squares.T @ batch['label']
    print('label = %.2f x^2 + %.2f y^2 + %.2f' % tuple(numpy.linalg.solve(products, sums)))


if __name__ == '__main__':
    main()
