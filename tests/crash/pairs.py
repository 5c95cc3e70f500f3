"""Two runs on one target at once, of different inputs: the outputs are those of one run that succeeded."""
import random
import time

from trial import REFUSED, Fault, contents, differences, look

PAIRS = 100


def start_two(trial, folder, rng):
    processes = []
    for words in (trial.words, trial.rival):
        shim = {'CRASH_DELAY': rng.choice((100, 500, 2000)), 'CRASH_SEED': rng.randrange(1 << 30)}
        processes.append(trial.start(folder, words, shim))
        if len(processes) == 1:
            time.sleep(rng.choice((0, 0, rng.uniform(0, 0.03))))
    return [trial.finish(p) for p in processes]


def judge(trial, folder, runs):
    won = []
    for run, wanted in zip(runs, (trial.new, trial.other)):
        if run.status == trial.case.status:
            won.append(wanted)
        elif run.status not in (2, 3) or not REFUSED.search(run.errors):
            raise Fault('the loser ends with status %d: %s' % (run.status, run.errors[:300]))
    if trial.case.several:
        won = [contents(look(folder))]
        trial.check(look(folder))
        if won[0].keys() != trial.new.keys():
            raise Fault('outputs are missing or left over: ' + differences(won[0], trial.new))
    if not won:
        raise Fault('neither run succeeds: %s' % '; '.join(run.errors.splitlines()[0] for run in runs))
    if len(won) == 2 and not trial.force and trial.words != trial.rival:
        raise Fault('both runs succeed without -f')
    found = contents(look(folder))
    if found not in won:
        raise Fault('the outputs are those of no run that succeeded (status %d and %d): %s; %s' % (
            runs[0].status, runs[1].status, differences(found, won[0]), ' / '.join(r.errors[:200] for r in runs)))


def attack(trial, share, report):
    rng = random.Random('pairs %s %d' % (trial.name, trial.bench.seed))
    for number in range(max(1, round(PAIRS * share))):
        folder = trial.new_folder()
        try:
            judge(trial, folder, start_two(trial, folder, rng))
            trial.check_inputs()
            report.passed('pairs')
        except Fault as fault:
            report.failed('pairs', '%s, pair %d' % (trial.name, number), fault, trial)
