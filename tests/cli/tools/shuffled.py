"""The order of the first epoch of tf.data's shuffle(N, seed), in plain Python: an oracle that shares no line with libtfr."""


def philox(key, counter):
    (k0, k1), (c0, c1, c2, c3) = key, counter
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = p1 >> 32 ^ c1 ^ k0, p1 & 0xffffffff, p0 >> 32 ^ c3 ^ k1, p0 & 0xffffffff
        k0, k1 = k0 + 0x9E3779B9 & 0xffffffff, k1 + 0xBB67AE85 & 0xffffffff
    return c0, c1, c2, c3


def draws(seed, seed2):
    """32-bit numbers, without end."""
    halves = lambda n: (n & 0xffffffff, n >> 32)
    n = 0
    while True:
        yield from philox(halves(seed), halves(n) + halves(seed2))
        n += 1


def shuffled(items, buffer, seed):
    of_epochs = draws(87654321, seed % (2**31 - 1))
    of_epoch = draws(next(of_epochs), next(of_epochs))
    left, held, out = list(items), [], []
    while left or held:
        while left and len(held) < buffer:
            held.append(left.pop(0))
        chosen = next(of_epoch) % len(held)
        out.append(held[chosen])
        held[chosen] = held[0]
        held.pop(0)
    return out
