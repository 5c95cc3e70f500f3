"""Makes sets with known classes, and counts them again, in plain Python: for cases of commands that choose records.

  classes.py make BASE FILES KIND=COUNT...   BASE-0000k-of-FILES: COUNT records of each class, dealt out in a fixed
                                             disorder.  Each has id, label (int64), text, bytes as KIND reads with
                                             '\\x00' escapes, and score (float), KIND where that is a number
  classes.py count FEATURE FILE...           VALUE TAB COUNT, sorted: what the records have in FEATURE
  classes.py ids FILE...                     the id of every record, in order
"""
import collections
import random
import struct
import sys

import records as r


def make(base, files, *kinds):
    rows = []
    for k, kind in enumerate(kinds):
        name, count = kind.rsplit('=', 1)
        raw = name.encode('utf-8', 'surrogateescape').decode('unicode_escape').encode('latin-1')
        rows += [(k, raw)] * int(count)
    random.Random(1).shuffle(rows)
    outputs = [open('%s-%05d-of-%05d' % (base, n, int(files)), 'wb') for n in range(int(files))]
    for number, (k, raw) in enumerate(rows):
        try:
            label = int(raw)
        except ValueError:
            label = k
        features = {'id': r.int64_list([number]), 'label': r.int64_list([label]), 'text': r.bytes_list([raw]),
                    'score': r.float_list([float(label % 1000) / 8])}
        outputs[number % int(files)].write(r.frame(r.example(features)))
    for f in outputs:
        f.close()


def fields(data):
    """The (number, bytes or int) of a message that has varints and lengths only."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(data):
        tag = varint()
        value = varint()
        if tag & 7 == 2:
            value, at = data[at:at + value], at + value
        yield tag >> 3, value


def first_value(payload, feature):
    for _, entry in fields(dict(fields(payload))[1]):
        entry = dict(fields(entry))
        if entry[1] == feature.encode():
            (kind, values), = fields(entry[2])
            value = dict(fields(values))[1]
            if kind == 1:
                return value
            if kind == 2:
                return struct.unpack('<f', value[:4])[0]
            number = next(fields(b'\0' + value))[1]
            return number - (1 << 64) if number >> 63 else number
    return None


def values(feature, paths):
    for path in paths:
        with open(path, 'rb') as f:
            for _, payload, good in r.unframe(f.read()):
                assert good
                yield first_value(payload, feature)


def main(verb, *arguments):
    if verb == 'make':
        make(*arguments)
    elif verb == 'count':
        counts = collections.Counter(values(arguments[0], arguments[1:]))
        for value in sorted(counts):
            print('%s\t%d' % (value, counts[value]))
    elif verb == 'ids':
        print(*values('id', arguments))
    else:
        sys.exit(__doc__)


if __name__ == '__main__':
    main(*sys.argv[1:])
