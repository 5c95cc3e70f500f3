"""Makes Examples with an id, a key and classes: labelled.py FILE FIRST LAST [KEYS [CLASSES]]

Record i, FIRST to LAST - 1, has id [i], key "key N" of KEYS (default: as many as records), label [i*i mod CLASSES] and text,
the same class as a name with odd bytes in it.  As a module: `ids` reads them back.
"""
import pathlib
import re
import sys

import records

NAMES = [b'cat', b'd\xff\x00g', 'größe'.encode(), b'', b'\x1b[31m', b'tab\tnewline\n']


def make(i, keys, classes):
    c = i * i % classes
    return records.frame(records.example({
        'id': records.int64_list([i]), 'key': records.bytes_list([b'key %d' % (i % keys)]),
        'label': records.int64_list([c]),
        'text': records.bytes_list([NAMES[c] if c < len(NAMES) else b'class %d' % c])}))


def ids(*paths):
    """The ids in files, in order; the first entry of an Example of ours is its id."""
    for path in paths:
        for _, payload, _ in records.unframe(pathlib.Path(path).read_bytes()):
            at = re.search(rb'\n\x02id\x12.\x1a.\n.', payload, re.S).end()
            value = shift = 0
            while True:
                value |= (payload[at] & 127) << shift
                shift += 7
                if payload[at] < 128:
                    break
                at += 1
            yield value


if __name__ == '__main__':
    first, last = int(sys.argv[2]), int(sys.argv[3])
    keys = int(sys.argv[4]) if len(sys.argv) > 4 else 1 << 30
    classes = int(sys.argv[5]) if len(sys.argv) > 5 else 10
    with open(sys.argv[1], 'wb') as out:
        for i in range(first, last):
            out.write(make(i, keys, classes))
