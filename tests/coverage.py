"""Prints how much of each room of lib runs under test: coverage.py JSON, as gcovr writes it.

Lines with an assert do not count, nor do branches of them.  A line with `/* uncovered: REASON */` does not count either, nor do
the branches of it.  What answers for memory that is not there (tfr_fail_nomem, TFR_ENOMEM, no_memory) is left out: the faults
tier makes each allocation fail in turn.  Exits with 1 where a room has less than FLOOR, which is what was reached when it was
written and may only rise; the aim is 95 % of lines and 85 % of branches.
"""
import collections
import json
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
AIM = (95, 85)
FLOOR = {}   # room -> (lines, branches), where it is below the aim
EXEMPT = re.compile(r'\bassert\(|/\* uncovered: |tfr_fail_nomem|TFR_ENOMEM|no_memory|NOMEM')


def main():
    rooms = collections.defaultdict(lambda: [0, 0, 0, 0])
    for entry in json.load(open(sys.argv[1]))['files']:
        path = pathlib.PurePath(entry['file'])
        if path.parts[0] not in ('lib', 'libexec'):
            continue
        text = (TOP / path).read_text().splitlines()
        room = rooms[path.parts[1] if path.parts[0] == 'lib' else 'libexec']
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
            low = low or name in FLOOR
            mark = '  below %d %% and %d %%' % floor
        print('%-10s %6d of %6d %5.1f %% %6d of %6d %5.1f %%%s' % (name, counts[0], counts[1], shares[0], counts[2], counts[3], shares[1], mark))
    return low


if __name__ == '__main__':
    sys.exit(main())
