"""Counts the cases of a Meson test run: tally.py build/meson-logs/testlog.json

Meson counts programs.  Here a Criterion program counts as its tests (the numbers of its "Synthesis" line), a runner that
ends in "N passed, N failed, N skipped" as these, one of Python's unittest as its tests, and any other program as one.  A program that failed without saying
which of its cases did counts one failure.  Kernels that this processor or $TFR_CPU kept from running are printed and
count as skipped.
"""
import json
import re
import sys


def variants(text):
    """The inner loops that a Criterion program could not run here; tests/unit/variants.h prints a line for each."""
    return set(re.findall(r'^skipped: kernel .*$', text, re.M))


def cases(test):
    text = re.sub(r'\x1b\[[0-9;]*m', '', test.get('stdout', '') + '\n' + test.get('stderr', ''))
    ok, skipped = test['result'] == 'OK', test['result'] == 'SKIP'
    criterion = re.findall(r'Tested: (\d+) \| Passing: (\d+) \| Failing: (\d+)', text)
    python = re.findall(r'^Ran (\d+) tests? in .*\n\n(?:OK|FAILED)(.*)$', text, re.M)
    runner = re.findall(r'^(\d+) passed, (\d+) failed, (\d+) skipped$', text, re.M)
    if criterion:
        tested, passing, failing = map(int, criterion[-1])
        counts = [passing, failing, tested - passing - failing + len(variants(text))]
    elif runner:
        counts = list(map(int, runner[-1]))
    elif python:
        tested, detail = int(python[-1][0]), dict(re.findall(r'(\w+)=(\d+)', python[-1][1]))
        failing, left_out = int(detail.get('failures', 0)) + int(detail.get('errors', 0)), int(detail.get('skipped', 0))
        counts = [max(0, tested - failing - left_out), failing, left_out]
    else:
        counts = [int(ok), 0, int(skipped)]
    if not ok and not skipped and counts[1] == 0:
        counts[1] = 1
    return counts


def main():
    total, absent = [0, 0, 0], set()
    try:
        with open(sys.argv[1]) as log:
            for line in log:
                test = json.loads(line)
                total = [a + b for a, b in zip(total, cases(test))]
                absent |= variants(test.get('stdout', ''))
    except FileNotFoundError:
        pass  # no test was chosen
    for line in sorted(absent):
        print(line, file=sys.stderr)
    print('%d passed, %d failed, %d skipped' % tuple(total))


main()
