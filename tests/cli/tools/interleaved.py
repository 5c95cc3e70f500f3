"""The order of tf.data's deterministic interleave, in plain Python: an oracle that shares no line with libtfr."""


def interleaved(files, cycle, block):
    """The records of `files`, lists, in the order of interleave(cycle_length=cycle, block_length=block)."""
    waiting = list(files)
    places = [None] * cycle
    turn, out = 0, []
    while waiting or any(p is not None for p in places):
        if places[turn] is None and waiting:
            places[turn] = list(waiting.pop(0))
        if places[turn] is not None:
            taken, places[turn] = places[turn][:block], places[turn][block:]
            out += taken
            if len(taken) < block:   # its end is seen only when one more is asked for
                places[turn] = None
        turn = (turn + 1) % cycle
    return out
