"""What the page of `tfr show --html` is, by Python's html.parser: page.py FILE; records with boxes: page.py make FILE.

Prints the tags that were opened, whether each was closed, what is drawn over images and what stands in the text;
complains of anything that reaches out of the page.
"""
import collections
import html.parser
import os
import struct
import sys
import zlib

import records

VOID = {'meta', 'img', 'br'}
KNOWN = {'html', 'head', 'meta', 'title', 'style', 'body', 'main', 'article', 'svg', 'filter', 'fecolormatrix', 'image', 'rect',
         'text', 'img', 'h1', 'h2', 'h3', 'details', 'summary', 'table', 'tr', 'th', 'td', 'pre', 'p'}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.count, self.faults, self.said, self.drawn = [], collections.Counter(), [], [], []

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        self.look(tag, attributes)

    def handle_startendtag(self, tag, attributes):
        self.look(tag, attributes)

    def look(self, tag, attributes):
        self.count[tag] += 1
        if tag not in KNOWN:
            self.faults.append('a tag of a record: %s' % tag)
        for name, value in attributes:
            if name.startswith('on') or (name == 'style' and self.count['article']) or (name in ('href', 'src') and not value.startswith('data:image/')):
                self.faults.append('attribute %s of %s' % (name, tag))
        if tag == 'rect':
            self.drawn.append('box ' + ' '.join(v for k, v in attributes if k in ('x', 'y', 'width', 'height')))
        if tag in ('image', 'img'):
            self.drawn.append(dict(attributes).get('href', dict(attributes).get('src'))[:16] +
                              (' mask' if 'filter' in dict(attributes) else ''))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append('closed and not open: %s' % tag)

    def handle_data(self, data):
        if self.open and self.open[-1] in ('h1', 'h2', 'h3', 'text', 'th', 'td', 'pre', 'summary') and data.strip():
            self.said.append('%s: %s' % (self.open[-1], ascii(data)))


def show(path):
    page = Page()
    data = open(path, 'rb').read()
    page.feed(data.decode('utf-8'))
    page.close()
    print('tags', ' '.join('%s=%d' % c for c in sorted(page.count.items())))
    print('\n'.join(page.drawn + page.said + page.faults + ['left open: %s' % t for t in page.open]))


def png(width, height, inside):
    """A gray image of 0 and 1, as object_detection writes masks."""
    rows = b''.join(b'\0' + bytes(int(inside(x, y)) for x in range(width)) for y in range(height))
    chunk = lambda kind, body: struct.pack('>I', len(body)) + kind + body + struct.pack('>I', zlib.crc32(kind + body))
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 0, 0, 0, 0)) +
            chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))


def example(features):
    return records.field(1, b''.join(records.entry(k, v) for k, v in features.items()))


def make(path):
    b, f, i = records.bytes_list, records.float_list, records.int64_list
    image = open(os.environ['DATA'] + '/images/jpeg/420.jpg', 'rb').read()
    box = lambda name, values: {b'image/object/bbox/' + name: f(values)}
    nan, evil = float('nan'), b'</script></style><script>alert("1")</script> \'&amp; onload=x \xff\x1b[31m\0'
    rows = [
        {b'image/encoded': b([image]), b'image/class/text': b([b'cat']), b'image/class/label': i([3]),
         b'image/object/class/text': b([b'left', b'right <b>']), **box(b'xmin', [0.1, 0.5]), **box(b'ymin', [0.2, 0.1]),
         **box(b'xmax', [0.4, 0.95]), **box(b'ymax', [0.9, 0.8]),
         b'image/object/mask': b([png(47, 33, lambda x, y: (x - 12) ** 2 + (y - 18) ** 2 < 60),
                                  png(47, 33, lambda x, y: 25 < x < 42 and 8 < y < 20)])},
        {b'image/encoded': b([image]), **box(b'xmin', [nan, 0.5, 0.9, 1e30]), **box(b'ymin', [0, 0, 0, 0]),
         **box(b'xmax', [1, 2, 0.1, 1e31]), **box(b'ymax', [1, 1, 1]), b'image/object/class/label': i([7, 8]),
         b'image/object/mask': b([b'no image'])},
        {b'text': b([evil[:-7]]), b'image/encoded': b([image]), **{b'image/object/bbox/' + n: f([v]) for n, v in
         ((b'xmin', 0), (b'ymin', 0), (b'xmax', 1), (b'ymax', 1))}, b'image/object/class/text': b([evil[:-7]]),
         b'a' + evil: b([evil]), evil: i([1]), b'image/class/text': b([evil[:-7]])},
        {b'image/encoded': b([image[:300]])},
        {b'image/encoded': b([image[:30]])},
        {b'many': i(range(5000)), b'long': b(['ż'.encode() * 1000]), b'unset': b''},
    ]
    with open(path, 'wb') as out:
        for row in rows:
            out.write(records.frame(example(row)))


if __name__ == '__main__':
    make(sys.argv[2]) if sys.argv[1] == 'make' else show(sys.argv[1])
