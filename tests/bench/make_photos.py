"""Makes the bench's images: make_photos.py PHOTOGRAPHS OUT [COUNT]

COUNT (12,000) crops of the photographs in the folder PHOTOGRAPHS, 500x375, JPEG quality 90 4:2:0, as one would get from
cameras: film grain is added until a file has 60 to 75 KB.  In class folders OUT/NAME, a class a photograph; seeded, so
the same files every time.
"""
import io
import multiprocessing
import pathlib
import sys

import numpy as np
from PIL import Image

WIDTH, HEIGHT = 500, 375
SMALLEST, LARGEST = 60 << 10, 75 << 10


def encode(crop, grain, sigma):
    noisy = np.clip(crop + grain * sigma, 0, 255).astype(np.uint8)
    out = io.BytesIO()
    Image.fromarray(noisy).save(out, 'JPEG', quality=90)
    return out.getvalue()


def fitted(crop, grain, target):
    """Bisects the grain's strength to about `target` bytes."""
    low, high = 0.0, 40.0
    sigma = 6.0
    for _ in range(8):
        data = encode(crop, grain, sigma)
        if abs(len(data) - target) < 2048:
            break
        if len(data) < target:
            low = sigma
        else:
            high = sigma
        sigma = (low + high) / 2
    return data


def one_photograph(job):
    path, folder, count, seed = job
    random = np.random.default_rng(seed)
    image = Image.open(path).convert('RGB')
    field = random.standard_normal((1024, 1024), dtype=np.float32)
    folder.mkdir(parents=True, exist_ok=True)
    for n in range(count):
        scale = random.uniform(1.0, min(image.width / WIDTH, image.height / HEIGHT, 3.0))
        w, h = int(WIDTH * scale), int(HEIGHT * scale)
        x, y = random.integers(image.width - w + 1), random.integers(image.height - h + 1)
        crop = image.resize((WIDTH, HEIGHT), Image.BILINEAR, (x, y, x + w, y + h))
        gx, gy = random.integers(1024 - WIDTH), random.integers(1024 - HEIGHT)
        grain = field[gy:gy + HEIGHT, gx:gx + WIDTH, None]
        data = fitted(np.asarray(crop, np.float32), grain, random.integers(SMALLEST + 2048, LARGEST - 2048))
        (folder / ('%05d.jpg' % n)).write_bytes(data)


def main():
    photographs = sorted(p for p in pathlib.Path(sys.argv[1]).iterdir() if p.suffix == '.jpg' and not p.is_symlink())
    out = pathlib.Path(sys.argv[2])
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 12000
    jobs = [(p, out / p.stem.split('_by_')[0].lower(), count // len(photographs) + (n < count % len(photographs)), n)
            for n, p in enumerate(photographs)]
    with multiprocessing.Pool() as pool:
        list(pool.imap_unordered(one_photograph, jobs))


main()
