#!/usr/bin/env python3
"""Makes what TensorFlow and torchvision make of an image, and of its mask, by several steps one after the other.

    make-recipe-golden.py tensorflow  DIRECTORY     (needs tensorflow-cpu, pillow, numpy)
    make-recipe-golden.py torchvision DIRECTORY     (needs torchvision, pillow, numpy: Debian 12 has python3-torchvision 0.14.1)

The image is media/420.jpg in DIRECTORY, 33 x 25, the mask media/palette.png, its numbers; the pixels of the image that
torchvision is given are those of Pillow, which are TensorFlow's (tests/data/media/420.jpg.3.u8).  A file recipe/NAME begins
with a line, the stages as tfr calls them; behind it are the bytes of all outputs, little-endian, masks behind the images."""
import io
import os
import sys

import numpy as np
from PIL import Image

kind, out = sys.argv[1:]
JPEG = open(os.path.join(out, "media/420.jpg"), "rb").read()
A = np.asarray(Image.open(io.BytesIO(JPEG)).convert("RGB"))
MASK = np.asarray(Image.open(os.path.join(out, "media/palette.png")))[..., None]


def save(name, stages, arrays):
    with open(os.path.join(out, "recipe", name), "wb") as f:
        f.write(stages.encode() + b"\n")
        for a in arrays:
            f.write(np.ascontiguousarray(a).tobytes())


def tensorflow():
    import tensorflow as tf

    def normalise(x):
        return (x - 127.5) / 127.5

    def five(a, n):
        """The windows that torchvision documents for five_crop, by tf.image."""
        h, w = a.shape[:2]
        top, left = int(round((h - n) / 2.0)), int(round((w - n) / 2.0))
        return [tf.image.crop_to_bounding_box(a, y, x, n, n)
                for y, x in ((0, 0), (0, w - n), (h - n, 0), (h - n, w - n), (top, left))]

    a = tf.io.decode_jpeg(JPEG, channels=3, dct_method="INTEGER_ACCURATE")
    assert a.numpy().tobytes() == A.tobytes()
    save("resized", "decode,resize=40x31,normalise", [normalise(tf.image.resize(a, (31, 40)))])
    save("rounded", "decode,resize=24x40,cast=uint8", [tf.cast(tf.round(tf.image.resize(a, (40, 24))), tf.uint8)])
    x = normalise(tf.image.resize(a, (12, 16), method="area"))
    save("planes", "decode,resize=16x12:area,normalise,cast=float16,chw", [tf.transpose(tf.cast(x, tf.float16), (2, 0, 1))])
    x = tf.image.resize(tf.image.resize_with_crop_or_pad(a, 20, 40), (24, 24))
    save("padded", "decode,pad=40x20,resize=24,mirror,normalise",
         [normalise(x), normalise(tf.image.flip_left_right(x))])
    x = tf.image.resize(tf.image.resize_with_crop_or_pad(a, 25, 25), (20, 20))
    save("centre", "decode,centre-crop=20,resize=33x35,cast=uint8",
         [tf.cast(tf.round(tf.image.resize(x, (35, 33))), tf.uint8)])
    pad = [[3, 3], [3, 3], [0, 0]]
    save("masked", "decode=masks,reflect-pad=3,five-crop=16,resize=24,normalise",
         [normalise(tf.image.resize(c, (24, 24))) for c in five(tf.pad(a, pad, "REFLECT"), 16)] +
         [tf.image.resize(c, (24, 24), method="nearest") for c in five(tf.pad(MASK, pad, "REFLECT"), 16)])


def torchvision():
    # Its kernels for newer processors fuse multiply and add.
    os.environ["ATEN_CPU_CAPABILITY"] = "default"
    from torchvision.transforms import functional as T

    image = Image.fromarray(A)
    law = ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
    save("ten-crop", "decode,mirror,five-crop=20x14,normalise=0.485/0.456/0.406:0.229/0.224/0.225,chw",
         [T.normalize(T.to_tensor(c), *law).numpy() for c in T.ten_crop(image, (14, 20))])
    save("five-mirrored", "decode,five-crop=21x15,mirror,normalise=0.5:0.25,chw",
         [T.normalize(T.to_tensor(c), [0.5] * 3, [0.25] * 3).numpy() for crop in T.five_crop(image, (15, 21))
          for c in (crop, T.hflip(crop))])
    save("reflected", "decode,reflect-pad=5,five-crop=30,chw",
         [(T.to_tensor(c) * 255).round().numpy().astype(np.uint8)
          for c in T.five_crop(T.pad(image, 5, padding_mode="reflect"), 30)])


os.makedirs(os.path.join(out, "recipe"), exist_ok=True)
{"tensorflow": tensorflow, "torchvision": torchvision}[kind]()
