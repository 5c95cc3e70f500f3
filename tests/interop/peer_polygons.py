#!/usr/bin/env python3
"""The masks of polygons as pycocotools draws them: run it with the python that scripts/venv coco prints.

peer_polygons.py < SHAPES

SHAPES is a JSON list of [WIDTH, HEIGHT, [X, Y, X, Y, ...]]; prints one SHA-1 per line, of the mask's bytes, row after row.
"""
import hashlib
import json
import sys

import numpy as np
from pycocotools import mask as coco

for width, height, polygon in json.load(sys.stdin):
    mask = coco.decode(coco.merge(coco.frPyObjects([polygon], height, width)))
    print(hashlib.sha1(np.ascontiguousarray(mask).tobytes()).hexdigest())
