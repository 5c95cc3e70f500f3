"""Power cuts: the folder as it may be after one, at every change of a run, and what a second run makes of it."""
import random
import struct

import kills
import replay
from trial import Fault, of_tree

SECOND_RUNS = 200   # of each variant, at most
CHECKED = 0.2       # of these states are shown to tfr check


def describe(changes, number):
    return 'after change %d (%s)' % (number, changes[number - 1]) if number else 'before the first change'


def sample(rng, chosen, count, state, most):
    """Keeps `most` of all states, each with the same chance."""
    if len(chosen) < most:
        chosen.append(state)
    elif rng.randrange(count) < most:
        chosen[rng.randrange(most)] = state


def second_run(trial, tree, rng):
    folder = trial.new_folder(empty=True)
    inodes = replay.write(tree, folder) + [(st[0], st[0]) for st in trial.bench.untouched.values()]
    table = trial.folder / 'inodes'
    table.write_bytes(b''.join(struct.pack('=QQ', *pair) for pair in inodes))
    found = of_tree(tree)
    try:
        if rng.random() < CHECKED:
            trial.check_commands(folder, found)
        trial.run_again(folder, trial.check(found), {'CRASH_INODES': table, 'CRASH_DELAY': 0})
        trial.check_inputs()
    except Fault as fault:
        return fault
    return None


def attack(trial, share, report):
    """Every state is looked at; a sample of them is given to a second run."""
    disk, changes, _ = kills.record(trial)
    rng = random.Random('power %s %d' % (trial.name, trial.bench.seed))
    chosen, count = [], 0
    for number, how, tree in replay.states(disk, changes, rng, min(1, 4 * share)):
        count += 1
        try:
            trial.check(of_tree(tree))
        except Fault as fault:
            report.failed('power', '%s, power cut %s, %s' % (trial.name, describe(changes, number), how), fault, None)
            continue
        report.passed('power')
        sample(rng, chosen, count, (number, how, tree), max(2, int(SECOND_RUNS * share)))
    for number, how, tree in chosen:
        fault = second_run(trial, tree, rng)
        if fault:
            report.failed('second', '%s, power cut %s, %s' % (trial.name, describe(changes, number), how), fault, trial)
        else:
            report.passed('second')
