"""The order of tf.data's sample_from_datasets, in plain Python: an oracle that shares no line with libtfr."""
import math
import struct

from shuffled import draws, philox


def as_float(x):
    return struct.unpack('<f', struct.pack('<f', x))[0]


def chosen(weights, seed):
    """Indexes into `weights`, all above 0, without end."""
    logits = [as_float(math.log(as_float(w))) for w in weights]
    ends = []
    for logit in logits:
        ends.append(math.exp(logit - max(logits)) + (ends[-1] if ends else 0))
    numbers = draws(87654321, seed % (2**31 - 1))
    while True:
        mixed = philox((0x3ec8f720, 0x02461e29), (next(numbers), 0, next(numbers), 0))
        high, low = philox(mixed[:2], (0, 0) + mixed[2:])[:2]
        point = ((high & 0xfffff) << 32 | low) * 2.0**-52 * ends[-1]
        yield next(i for i, end in enumerate(ends) if end > point)


def mixed(sets, weights, seed, end='drop', most=math.inf):
    """The records of `sets`, lists, at most `most` of them; a set at its end is dropped, or ends all."""
    both = [(s, w) for s, w in zip(sets, weights) if w > 0]
    at, over, out = [0] * len(both), set(), []
    for i in chosen([w for _, w in both], seed):
        records = both[i][0]
        if len(out) == most or len(over) == len(both):
            break
        if at[i] < len(records):
            out.append(records[at[i]])
            at[i] += 1
        elif end == 'stop':
            break
        else:
            over.add(i)
    return out
