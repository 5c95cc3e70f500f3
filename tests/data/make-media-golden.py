#!/usr/bin/env python3
"""Makes tests/data/media: small images, and what TensorFlow and Pillow make of them.

    make-media-golden.py DIRECTORY        (needs tensorflow-cpu, pillow, numpy)

NAME.jpg, NAME.png, NAME.gif, NAME.bmp, NAME.webp
                      an image
NAME.CHANNELS.u8      its samples as TensorFlow decodes it (JPEG with INTEGER_ACCURATE), HWC; CHANNELS 0 is "as stored"
rgb.WIDTHxHEIGHT.f32  rgb.png by tf.image.resize to that size, little-endian float32
resnorm.f32           the same to 16 x 12, mirrored, then (x - 127.5) / 127.5
FILTER.u8             images made larger and smaller, 8 bits to 8 bits, one after the other, by Pillow or by TensorFlow
turn-N.KIND           an image that EXIF wants turned; turn-N.KIND.u8 its samples as Pillow's exif_transpose turns them

Where Pillow can decode to the same form, the script stops unless its pixels are the same."""
import io
import os
import struct
import sys
import zlib

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf
from PIL import Image, ImageOps

out = sys.argv[1]
rng = np.random.default_rng(7)
WIDTH, HEIGHT = 33, 25


def image():
    """Soft colours with sharp edges in them: chroma upsampling shows."""
    small = Image.fromarray(rng.integers(0, 256, (5, 7, 3), dtype=np.uint8))
    a = np.asarray(small.resize((WIDTH, HEIGHT), Image.BICUBIC)).copy()
    a[5:12, 9:20] = (250, 10, 30)
    a[15:20, ::3] = (0, 90, 255)
    return Image.fromarray(a)


def save(name, data):
    with open(os.path.join(out, name), "wb") as f:
        f.write(data)


def encode(image, kind, **options):
    b = io.BytesIO()
    image.save(b, kind, **options)
    return b.getvalue()


def expect(name, data, channels, pillow_mode=None):
    if name.endswith(".jpg"):
        a = tf.io.decode_jpeg(data, channels, dct_method="INTEGER_ACCURATE").numpy()
    elif name == "animated.webp":   # expand_animations=False overflows a buffer in TensorFlow 2.21
        a = tf.io.decode_image(data, channels).numpy()[0]
    else:
        a = tf.io.decode_image(data, channels, expand_animations=False).numpy()
    if pillow_mode:
        p = np.asarray(Image.open(io.BytesIO(data)).convert(pillow_mode))
        assert np.array_equal(p.reshape(a.shape), a), (name, channels, np.abs(p.reshape(a.shape).astype(int) - a).max())
    save(f"{name}.{channels}.u8", a.tobytes())


def add(name, data, channels):
    save(name, data)
    for c, mode in channels.items():
        expect(name, data, c, mode)


im = image()
add("444.jpg", encode(im, "JPEG", quality=90, subsampling="4:4:4"), {3: "RGB"})
add("422.jpg", encode(im, "JPEG", quality=85, subsampling="4:2:2"), {3: "RGB"})
add("420.jpg", encode(im, "JPEG", quality=75, subsampling="4:2:0"), {3: "RGB", 1: None})
add("progressive.jpg", encode(im, "JPEG", quality=80, progressive=True), {3: "RGB"})
add("gray.jpg", encode(im.convert("L"), "JPEG"), {0: "L", 3: "RGB"})
add("cmyk.jpg", encode(im.convert("CMYK"), "JPEG", quality=90), {0: "RGB", 3: "RGB"})

add("rgb.png", encode(im, "PNG"), {3: "RGB", 4: "RGBA", 1: None})
rgba = im.copy()
rgba.putalpha(im.convert("L").point(lambda v: 255 - v))
add("rgba.png", encode(rgba, "PNG"), {0: "RGBA", 3: "RGB"})
add("la.png", encode(rgba.convert("LA"), "PNG"), {0: "LA", 3: "RGB"})
add("palette.png", encode(im.quantize(11), "PNG"), {0: "RGB", 1: None})
add("palette-trns.png", encode(im.quantize(11), "PNG", transparency=3), {0: "RGBA", 3: "RGB"})
add("bit.png", encode(im.convert("1"), "PNG"), {0: None, 3: "RGB"})
add("gray-trns.png", encode(im.convert("L"), "PNG", transparency=5), {0: None, 3: None, 4: None})
wide = (np.asarray(im).astype(np.uint16) << 8) | rng.integers(0, 256, (HEIGHT, WIDTH, 3), dtype=np.uint16)
add("rgb16.png", tf.io.encode_png(wide).numpy(), {3: None})
add("gray16.png", tf.io.encode_png(wide[..., :1]).numpy(), {0: None, 3: None})

pixels = np.asarray(im)
for w, h in ((16, 12), (40, 31), (33, 7), (5, 60), (33, 25), (1, 1)):
    save(f"rgb.{w}x{h}.f32", tf.image.resize(pixels, (h, w)).numpy().astype("<f4").tobytes())
small = tf.image.flip_left_right(tf.image.resize(pixels, (12, 16))).numpy()
save("resnorm.f32", ((small - np.float32(127.5)) / np.float32(127.5)).astype("<f4").tobytes())

# FILTER.u8: rgb.png made 16 x 12, 37 x 26, 33 x 7, 5 x 60, 1 x 1, 7 x 3 and what Pillow 13 resizes vertically first or just not (24 x 7), then rgba.png, la.png and gray.jpg made 16 x 12.
stored = {name: tf.io.decode_image(open(os.path.join(out, name), "rb").read()).numpy() for name in ("rgba.png", "la.png")}
gray = tf.io.decode_jpeg(open(os.path.join(out, "gray.jpg"), "rb").read(), dct_method="INTEGER_ACCURATE").numpy()
scaled = [(pixels, size) for size in ((16, 12), (37, 26), (33, 7), (5, 60), (1, 1), (7, 3), (25, 7), (24, 7), (30, 5), (37, 24), (60, 3))]
scaled += [(a, (16, 12)) for a in (stored["rgba.png"], stored["la.png"], gray)]


def by_pillow(a, size, law):
    """Each channel for itself: of a whole RGBA image Pillow would weigh colours by alpha."""
    return np.stack([np.asarray(Image.fromarray(np.ascontiguousarray(a[..., c])).resize(size, law)) for c in range(a.shape[2])], -1)


for name, law in (("triangle", Image.BILINEAR), ("area", Image.BOX), ("cubic", Image.BICUBIC), ("lanczos", Image.LANCZOS)):
    save(f"{name}.u8", b"".join(by_pillow(a, size, law).tobytes() for a, size in scaled))
for name in ("bilinear", "nearest"):
    save(f"{name}.u8", b"".join(
        tf.cast(tf.round(tf.image.resize(a, size[::-1], method=name)), tf.uint8).numpy().tobytes() for a, size in scaled))

# turn-N.jpg, turn-6.png: an image that EXIF wants turned; turn-N.u8 what Pillow's exif_transpose makes of it.
part = im.crop((8, 3, 21, 12))
for n in range(1, 9):
    exif = Image.Exif()
    exif[0x010E] = "a picture"
    exif[0x0112] = n
    for kind, extension in (("JPEG", "jpg"), ("PNG", "png")):
        if n != 6 and kind == "PNG":
            continue
        data = encode(part, kind, exif=exif)
        save(f"turn-{n}.{extension}", data)
        save(f"turn-{n}.{extension}.u8", ImageOps.exif_transpose(Image.open(io.BytesIO(data))).tobytes())

# long-trns.png: more transparencies than colours, which TensorFlow ignores.
trns = encode(im.quantize(11), "PNG", transparency=bytes(range(11)))
at, n = trns.index(b"tRNS"), 12
chunk = b"tRNS" + bytes(range(n))
add("long-trns.png", trns[:at - 4] + struct.pack(">I", n) + chunk + struct.pack(">I", zlib.crc32(chunk)) + trns[at + 4 + 11 + 4:],
    {0: None, 3: "RGB", 4: None})


def bmp(a, top_down=False, palette=b""):
    """Headers of 54 bytes and the rows, padded, blue first."""
    h, w, c = a.shape
    a = a if top_down else a[::-1]
    a = a[..., [2, 1, 0, 3][:c]] if c > 1 else a
    rows = b"".join(row.tobytes() + b"\0" * (-w * c % 4) for row in a)
    at = 54 + len(palette)
    return b"BM" + struct.pack("<IHHI", at + len(rows), 0, 0, at) + struct.pack(
        "<IiiHHIIiiII", 40, w, -h if top_down else h, 1, 8 * c, 0, len(rows), 2835, 2835, len(palette) // 4, 0) + palette + rows


indices = np.asarray(im.quantize(20)).reshape(HEIGHT, WIDTH, 1)
add("rgb.bmp", bmp(pixels), {0: "RGB", 3: "RGB", 4: "RGBA"})
add("rgba.bmp", bmp(np.asarray(rgba)), {0: None, 3: "RGB", 4: None})
add("top-down.bmp", bmp(pixels, top_down=True), {0: "RGB", 3: "RGB", 4: "RGBA"})
add("palette.bmp", bmp(indices, palette=bytes(range(256)) * 4), {0: None, 3: None, 4: None})   # the indices

few = im.quantize(20)
add("plain.gif", encode(few, "GIF", interlace=False), {0: "RGB", 3: "RGB"})
add("interlaced.gif", encode(few, "GIF", interlace=True), {0: "RGB", 3: "RGB"})
add("transparent.gif", encode(few, "GIF", transparency=3), {0: None, 3: None})
# small-frame.gif: a first frame that does not fill the image, which is as large as the second.
small_frame = encode(im.crop((0, 0, 20, 15)).quantize(20), "GIF", interlace=False)
whole_frame = encode(few, "GIF", interlace=False)
frame, second = bytearray(small_frame[small_frame.index(b",\0\0\0\0"):-1]), bytearray(whole_frame[whole_frame.index(b",\0\0\0\0"):-1])
frame[1], frame[3] = 18, 4   # its offset: 5 of 20 columns are beyond the edge
add("small-frame.gif", whole_frame[:whole_frame.index(b",\0\0\0\0")] + bytes(frame) + bytes(second) + b";", {0: None, 3: None})

add("lossy.webp", encode(im, "WEBP", quality=70), {0: "RGB", 3: "RGB"})
add("lossless.webp", encode(im, "WEBP", lossless=True), {0: "RGB", 3: "RGB"})
add("alpha.webp", encode(rgba, "WEBP", quality=60), {0: "RGBA", 4: "RGBA"})
add("animated.webp", encode(im, "WEBP", save_all=True, append_images=[rgba, im.rotate(180)], lossless=True, duration=40), {0: "RGBA", 4: "RGBA"})
