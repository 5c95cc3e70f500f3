#!/usr/bin/env python3
"""Makes what TensorFlow and torchvision make of the pixels of tests/data/media/rgb.png: 33 x 25 RGB, called A here.

    make-pixels-golden.py tensorflow  DIRECTORY     (needs tensorflow-cpu, pillow, numpy)
    make-pixels-golden.py torchvision DIRECTORY     (needs torchvision, pillow, numpy: Debian 12 has python3-torchvision 0.14.1)

F is A as float32, A / 2 - 3, which is exact.  Floats are little-endian.  Images follow each other without gaps, HWC.

tensorflow:   pad.u8          A by resize_with_crop_or_pad to each of PADS
              reflect.u8      A by tf.pad REFLECT with 7 on each side
              area.f32        A to each of AREAS by tf.image.resize(method='area'); its first channel, A with alpha, F to the first two
              bilinear.f32    F to each of the first four AREAS
              standardise.f32 A, F and an image of one colour by tf.image.per_image_standardization, with one thread
              cast.f32        numbers; cast.f16 and cast.u8 are these by tf.cast and by tf.saturate_cast(tf.round())
torchvision:  five.u8         the first channel of A by five_crop to each of FIVES
              flips.u8        A by hflip and by vflip
              normalise.f32   A and F by normalize with MEAN and STD
              rotate.u8       A by rotate by each of ANGLES: nearest and bilinear, without fill and with FILL
              rotate.f32      the upper left 15 x 12 of F likewise, the first two angles"""
import os
import sys

import numpy as np
from PIL import Image

PADS = ((40, 20), (20, 40), (50, 51), (10, 11), (33, 25))
AREAS = ((16, 12), (7, 9), (1, 1), (40, 31), (33, 8))
FIVES = ((30, 20), (32, 22), (5, 6), (33, 25))
MEAN, STD = (123.675, 116.28, 103.53), (58.395, 57.12, 57.375)
ANGLES = (30, -45.5, 90, 180, 0, 7.25)
FILL = (10, 200, 77)

kind, out = sys.argv[1:]
A = np.asarray(Image.open(os.path.join(out, "rgb.png")).convert("RGB"))
F = A.astype(np.float32) / 2 - 3


def save(name, arrays):
    with open(os.path.join(out, name), "wb") as f:
        for a in arrays:
            f.write(np.ascontiguousarray(a).tobytes())


def numbers():
    """Floats of every sort: what lies between two of float16 and between two of uint8, the ends of both, and any bits at all."""
    rng = np.random.default_rng(11)
    halves = np.arange(-4, 263, 0.25, dtype=np.float32)
    fine = [np.float32(s * (1 + k / 4096) * 2.0**e) for s in (1, -1) for e in (-26, -25, -24, -15, -14, 0, 15) for k in range(8)]
    ends = np.array([0.0, -0.0, 65503.9, 65504, 65519.99, 65520, 1e9, np.inf, -np.inf, 254.5, 255.5, -0.5, -0.51], np.float32)
    any_bits = rng.integers(0, 2**32, 500, dtype=np.uint32).view(np.float32)
    middle = (rng.standard_normal(500) * 200).astype(np.float32)
    all_of_them = np.concatenate([halves, np.array(fine, np.float32), ends, any_bits, middle])
    return all_of_them[~np.isnan(all_of_them)]


def tensorflow():
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(1)
    alpha = np.concatenate([A, 255 - A[..., :1]], -1)
    save("pad.u8", [tf.image.resize_with_crop_or_pad(A, h, w).numpy() for w, h in PADS])
    save("reflect.u8", [tf.pad(A, [[7, 7], [7, 7], [0, 0]], "REFLECT").numpy()])
    save("area.f32", [tf.cast(tf.image.resize(a, (h, w), method="area"), tf.float32).numpy()
                      for a, sizes in ((A, AREAS), (A[..., :1], AREAS[:2]), (alpha, AREAS[:2]), (F, AREAS[:2])) for w, h in sizes])
    save("bilinear.f32", [tf.image.resize(F, (h, w)).numpy() for w, h in AREAS[:4]])
    save("standardise.f32", [tf.image.per_image_standardization(a).numpy() for a in (A, F, np.full_like(A, 200))])
    n = numbers()
    save("cast.f32", [n])
    save("cast.f16", [tf.cast(n, tf.float16).numpy()])
    save("cast.u8", [tf.saturate_cast(tf.round(n), tf.uint8).numpy()])


def torchvision():
    # Its kernels for newer processors fuse multiply and add: two samples of rotate.u8 are then 1 more or less.
    os.environ["ATEN_CPU_CAPABILITY"] = "default"
    import torch
    from torchvision.transforms import InterpolationMode
    from torchvision.transforms import functional as T

    def chw(a):
        return torch.from_numpy(np.ascontiguousarray(a.transpose(2, 0, 1)))

    def hwc(t):
        return t.numpy().transpose(1, 2, 0)

    def rotated(a, angles):
        return [hwc(T.rotate(chw(a), angle, mode, fill=fill)) for angle in angles
                for mode in (InterpolationMode.NEAREST, InterpolationMode.BILINEAR) for fill in (None, FILL)]

    save("five.u8", [hwc(t) for w, h in FIVES for t in T.five_crop(chw(A[..., :1]), (h, w))])
    save("flips.u8", [hwc(T.hflip(chw(A))), hwc(T.vflip(chw(A)))])
    save("normalise.f32", [hwc(T.normalize(chw(a.astype(np.float32)), MEAN, STD)) for a in (A, F)])
    save("rotate.u8", rotated(A, ANGLES))
    save("rotate.f32", rotated(F[:12, :15], ANGLES[:2]))
    reflected = hwc(T.pad(chw(A), [7], padding_mode="reflect"))
    assert reflected.tobytes() == open(os.path.join(out, "reflect.u8"), "rb").read(), "tf.pad and torchvision differ"


{"tensorflow": tensorflow, "torchvision": torchvision}[kind]()
