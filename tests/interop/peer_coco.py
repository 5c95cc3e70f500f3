#!/usr/bin/env python3
"""Shapes of every kind, and what pycocotools makes of them: run it with the python that scripts/venv coco prints.

peer_coco.py FOLDER SEED IMAGES

Writes FOLDER/instances.json, annotations of IMAGES images of random size, and FOLDER/masks.json, for each annotation's
id the SHA-1 of the mask's bytes, row after row.
"""
import hashlib
import json
import pathlib
import random
import sys

import numpy as np
from pycocotools import mask as coco


def polygon(rng, width, height):
    """Wild ones too: past the edges, on half pixels, crossing themselves, with points twice, upright, flat."""
    n = rng.choice((3, 3, 4, 5, 8, 30, 200))
    kind = rng.randrange(7)
    far = rng.choice((0, 0, 1, 20, 400))
    xs = [rng.uniform(-far, width + far) for _ in range(n)]
    ys = [rng.uniform(-far, height + far) for _ in range(n)]
    if kind == 0:
        xs, ys = [round(x) for x in xs], [round(y) for y in ys]
    elif kind == 1:
        xs, ys = [round(x * 2) / 2 for x in xs], [round(y * 10) / 10 for y in ys]
    elif kind == 2:
        xs, ys = [round(x, 2) for x in xs], [round(y, 2) for y in ys]
    elif kind == 3:
        xs[1], ys[1] = xs[0], ys[0]
        xs[-1], ys[-1] = xs[0], ys[0]
    elif kind == 4:
        xs = [xs[0]] * (n - 1) + [xs[0] + rng.uniform(0, 2)]
    elif kind == 5:
        ys = [ys[0]] * (n - 1) + [ys[0] + rng.uniform(0, 2)]
    return [v for pair in zip(xs, ys) for v in pair]


def runs(rng, width, height):
    counts, left = [], width * height
    while left:
        counts.append(min(left, rng.choice((0, 1, 2, 7, height, rng.randrange(width * height)))))
        left -= counts[-1]
    return counts


def segmentation(rng, width, height):
    kind = rng.randrange(5)
    if kind < 3:
        return [polygon(rng, width, height) for _ in range(rng.choice((1, 1, 2, 5)))]
    rle = {'counts': runs(rng, width, height), 'size': [height, width]}
    if kind == 3:
        return rle
    if rng.randrange(2):   # a shape's own runs, not just any
        rle = coco.merge(coco.frPyObjects([polygon(rng, width, height)], height, width))
    else:
        rle = coco.frPyObjects(rle, height, width)
    return {'counts': rle['counts'].decode(), 'size': [height, width]}


def drawn(shape, width, height):
    """As pycocotools.coco.COCO.annToMask draws."""
    if isinstance(shape, list):
        rle = coco.merge(coco.frPyObjects(shape, height, width))
    elif isinstance(shape['counts'], list):
        rle = coco.frPyObjects(shape, height, width)
    else:
        rle = {'counts': shape['counts'].encode(), 'size': shape['size']}
    return coco.decode(rle)


folder, rng = pathlib.Path(sys.argv[1]), random.Random(int(sys.argv[2]))
images, annotations, masks = [], [], {}
for n in range(int(sys.argv[3])):
    width, height = rng.choice(((1, 1), (640, 480), (rng.randrange(1, 90), rng.randrange(1, 90)), (1, 50), (50, 1)))
    images.append({'id': n + 1, 'file_name': '%d.png' % n, 'width': width, 'height': height})
    for _ in range(rng.randrange(8)):
        shape = segmentation(rng, width, height)
        annotations.append({'id': len(annotations) + 1, 'image_id': n + 1, 'category_id': 7, 'bbox': [0, 0, width, height],
                            'area': 1.5, 'iscrowd': 0, 'segmentation': shape})
        mask = np.ascontiguousarray(drawn(shape, width, height))
        masks[len(annotations)] = hashlib.sha1(mask.tobytes()).hexdigest()
(folder / 'instances.json').write_text(json.dumps(
    {'categories': [{'id': 7, 'name': 'shape'}], 'annotations': annotations, 'images': images}))
(folder / 'masks.json').write_text(json.dumps(masks))
