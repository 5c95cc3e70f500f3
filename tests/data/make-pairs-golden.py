#!/usr/bin/env python3
"""Makes tests/data/pairs: images and the segmentation masks that belong to them.

    make-pairs-golden.py DIRECTORY        (needs pillow, numpy)

images/NAME.jpg   an image
masks/NAME.png    its mask, of the kind that NAME says
NAME.u8           the mask's class numbers, a byte a pixel, as Pillow reads them; absent where NAME cannot be a mask"""
import os
import sys

import numpy as np
from PIL import Image

out = sys.argv[1]
rng = np.random.default_rng(11)
WIDTH, HEIGHT = 21, 13


def classes(count):
    """Blocks of class numbers, all of them there."""
    a = np.zeros((HEIGHT, WIDTH), np.uint8)
    for k in range(1, count):
        y, x = rng.integers(0, HEIGHT - 4), rng.integers(0, WIDTH - 5)
        a[y:y + 4, x:x + 5] = k
    a[0, :count % WIDTH] = np.arange(count % WIDTH)
    return a


def palette(numbers, count):
    """No colour of it is gray, so that its luma is not its index."""
    mask = Image.fromarray(numbers, "P")
    mask.putpalette([(k * 67 + c * 91 + 30) % 256 for k in range(count) for c in range(3)])
    return mask


def pair(name, mask, numbers=None, **options):
    image = Image.fromarray(rng.integers(0, 256, (4, 5, 3), dtype=np.uint8)).resize((WIDTH, HEIGHT), Image.BICUBIC)
    image.save(os.path.join(out, "images", name + ".jpg"), "JPEG", quality=80)
    path = os.path.join(out, "masks", name + ".png")
    mask.save(path, **{"format": "PNG", **options})
    if numbers is not None:
        read = np.asarray(Image.open(path)).astype(np.int64)
        assert (read == numbers).all(), name
        with open(os.path.join(out, name + ".u8"), "wb") as f:
            f.write(numbers.astype(np.uint8).tobytes())


for folder in "images", "masks":
    os.makedirs(os.path.join(out, folder), exist_ok=True)
for bits in 1, 2, 4, 8:
    count = min(2 ** bits, 21)
    numbers = classes(count)
    pair("palette%d" % bits, palette(numbers, count), numbers, bits=bits)
numbers = classes(21)
pair("gray8", Image.fromarray(numbers), numbers)
pair("gray1", Image.fromarray(classes(2) * 255).convert("1"), None)
pair("gray16", Image.fromarray(numbers.astype(np.uint16)), numbers)
pair("gray16-large", Image.fromarray(numbers.astype(np.uint16) * 15))
pair("rgb", palette(numbers, 21).convert("RGB"))
pair("lossy", Image.fromarray(numbers), format="JPEG")
pair("size", Image.fromarray(numbers[1:]))
pair("trns", palette(numbers, 21), numbers, transparency=0)
