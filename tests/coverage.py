"""Prints how much of each room of lib runs under test: coverage.py [--print] JSON, as gcovr writes it.

Lines with an assert do not count, nor do branches of them.  A line with `/* uncovered: REASON */` does not count either, nor do
the branches of it.  What answers for memory that is not there (tfr_fail_nomem, TFR_ENOMEM, no_memory) is left out: the faults
tier makes each allocation fail in turn.  libexec is left out, too: what runs in the sandbox cannot write what it counted.

The aim is 95 % of lines and 85 % of branches.  FLOOR has what the rooms below it had when this was measured, with the unit tests
and a third of the cases.  The status is 1 where a room has less than that, or another less than the aim; never with --print.
"""
import collections
import json
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
AIM = (95, 85)
FLOOR = {   # room -> lines, branches
    'codec': (91, 81), 'convert': (69, 54), 'diff': (94, 83), 'doctor': (95, 81), 'export': (94, 78), 'inspect': (95, 81),
    'io': (90, 70), 'media': (95, 84), 'record': (95, 83), 'rewrite': (94, 81), 'shard': (92, 75), 'thread': (95, 84),
}
EXEMPT = re.compile(r'\bassert\(|/\* uncovered: |tfr_fail_nomem|TFR_ENOMEM|no_memory|NOMEM')


def main():
    rooms = collections.defaultdict(lambda: [0, 0, 0, 0])
    for entry in json.load(open(sys.argv[-1]))['files']:
        path = pathlib.PurePath(entry['file'])
        if path.parts[0] != 'lib' or path.parts[1] == 'include':
            continue
        text = (TOP / path).read_text().splitlines()
        room = rooms[path.parts[1]]
        for line in entry['lines']:
            number = line['line_number']
            if line.get('gcovr/noncode') or line.get('gcovr/excluded') or EXEMPT.search(text[number - 1]):
                continue
            room[0] += line['count'] > 0
            room[1] += 1
            # The branch to a line that is exempt goes with it.
            answered = number < len(text) and EXEMPT.search(text[number])
            for branch in line.get('branches', []):
                if answered and not branch['count']:
                    continue
                room[2] += branch['count'] > 0
                room[3] += 1
    total, low = [0] * 4, False
    print('%-10s %18s %22s' % ('room', 'lines', 'branches'))
    for name, counts in sorted(rooms.items()) + [('all', total)]:
        if counts is not total:
            total[:] = map(sum, zip(total, counts))
        shares = 100 * counts[0] / max(1, counts[1]), 100 * counts[2] / max(1, counts[3])
        floor = FLOOR.get(name, AIM)
        mark = '' if shares[0] >= AIM[0] and shares[1] >= AIM[1] else '  below the aim'
        if shares[0] < floor[0] or shares[1] < floor[1]:
            low = low or counts is not total
            mark = '  below %d %% and %d %%' % floor
        print('%-10s %6d of %6d %5.1f %% %6d of %6d %5.1f %%%s' % (name, counts[0], counts[1], shares[0], counts[2], counts[3], shares[1], mark))
    return low and '--print' not in sys.argv


if __name__ == '__main__':
    sys.exit(main())
