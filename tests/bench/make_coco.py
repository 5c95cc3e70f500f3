#!/usr/bin/env python3
"""Makes a file of annotations with the structure of COCO's instances_train2017.json, 450 MB where there are 118,287 images:

make_coco.py FILE [IMAGES]

Members, their order, the lengths of polygons and names are those of the real one; a hundredth of the annotations are crowds.
The same bytes every time.
"""
import math
import random
import sys

ANNOTATIONS = 7.27   # of an image
SHAPES = 4000        # drawn once, and used again
CATEGORIES = [n for n in range(1, 91) if n not in (12, 26, 29, 30, 45, 66, 68, 69, 71, 83)]


def polygon(rng, cx, cy, size):
    n = max(3, int(rng.expovariate(1 / 16)) + 3)
    angles = sorted(rng.uniform(0, 2 * math.pi) for _ in range(n))
    return ', '.join('%.2f, %.2f' % (cx + size * rng.uniform(.5, 1) * math.cos(a), cy + size * rng.uniform(.5, 1) * math.sin(a))
                     for a in angles)


def shape(rng):
    """(box, area, crowd, the text of a segmentation) within 640 x 480."""
    size = rng.uniform(4, 150)
    cx, cy = rng.uniform(size, 639 - size), rng.uniform(size, 479 - size)
    box = '%.2f, %.2f, %.2f, %.2f' % (cx - size, cy - size, 2 * size, 2 * size)
    if rng.random() < .01:
        runs, left = [], 640 * 480
        while left > 2000:
            runs.append(rng.randrange(1, 2000))
            left -= runs[-1]
        return box, size * size, 1, '{"counts": [%s], "size": [480, 640]}' % ', '.join(map(str, runs + [left]))
    parts = 1 + (rng.random() < .1)
    return box, size * size * 2, 0, '[%s]' % ', '.join('[%s]' % polygon(rng, cx, cy, size) for _ in range(parts))


def main():
    path, images = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 118287
    rng = random.Random(17)
    shapes = [shape(rng) for _ in range(SHAPES)]
    ids = rng.sample(range(1, 600000), images)
    with open(path, 'w', buffering=1 << 20) as out:
        out.write('{"info": {"description": "COCO 2017 Dataset", "version": "1.0"}, "licenses": [{"id": 1, "name": "[{\\"}"}], '
                  '"images": [')
        out.write(', '.join(
            '{"license": 3, "file_name": "%012d.jpg", "coco_url": "http://images.cocodataset.org/train2017/%012d.jpg", '
            '"height": 480, "width": 640, "date_captured": "2013-11-14 11:18:45", '
            '"flickr_url": "http://farm9.staticflickr.com/8186/%010d_4e622c8349_z.jpg", "id": %d}' % (i, i, i, i) for i in ids))
        out.write('], "annotations": [')
        for n in range(int(images * ANNOTATIONS)):
            box, area, crowd, text = shapes[rng.randrange(SHAPES)]
            out.write('%s{"segmentation": %s, "area": %r, "iscrowd": %d, "image_id": %d, "bbox": [%s], "category_id": %d, '
                      '"id": %d}' % (', ' if n else '', text, area, crowd, ids[rng.randrange(images)], box,
                                     CATEGORIES[rng.randrange(80)], n + 1))
        out.write('], "categories": [%s]}' % ', '.join(
            '{"supercategory": "thing", "id": %d, "name": "thing %d"}' % (i, i) for i in CATEGORIES))


main()
