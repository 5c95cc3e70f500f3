"""Kills before and after each change of the file system and at random moments; of some second runs as well."""
import random
import signal
import time

import replay
from trial import Fault, hidden, look, visible

MOMENTS = 12      # random ones, of all that a variant has
AGAIN = 0.3       # of the second runs are killed too
FAILING = 0.3     # have a second run that fails before the one that succeeds
CHECKED = 0.2     # of the states are shown to tfr check


def record(trial):
    """Runs the command and returns its folder, the disk as it was, the changes, and how many the command began.  The
    log must account for every file that is there now."""
    folder = trial.new_folder()
    disk, copy = replay.Disk(folder), replay.Disk(folder)
    log = trial.folder / 'log'
    run = trial.run(folder, trial.words, {'CRASH_LOG': log})
    trial.expect(run, trial.words)
    changes, count = replay.read(log)
    log.unlink()
    if replay.final(copy, changes) != {path: entry.content for path, entry in look(folder).items()}:
        raise Fault('%s: the log lacks changes' % trial.name)
    return disk, changes, count


def killed(trial, folder, shim):
    """Runs until the kill; False where the run was over before."""
    run = trial.run(folder, trial.words, shim)
    if run.status == -signal.SIGKILL:
        return True
    trial.expect(run, trial.words)
    return False


def killed_at(trial, folder, seconds, seed):
    process = trial.start(folder, trial.words, {'CRASH_DELAY': 1000, 'CRASH_SEED': seed})
    time.sleep(seconds)
    process.kill()
    run = trial.finish(process)
    if run.status != -signal.SIGKILL:
        trial.expect(run, trial.words)


def after_kill(trial, folder, count, rng, kept):
    """What must hold after one kill, and after further ones, and after a run that is left alone."""
    seen = trial.check(look(folder))
    while rng.random() < AGAIN:
        shim = {'CRASH_KILL': rng.randrange(1, count + 1), 'CRASH_SEED': rng.randrange(1 << 30)}
        run = trial.run(folder, trial.words, shim)
        if run.status != -signal.SIGKILL:
            seen = trial.check(look(folder))
            break
        seen = trial.check(look(folder))
    found = look(folder)
    kept.update(hidden(found))
    if rng.random() < CHECKED:
        trial.check_commands(folder, found)
    if rng.random() < FAILING:
        trial.run_refused(folder)
        seen = visible(look(folder))
    trial.run_again(folder, seen)


def points(count, share, rng):
    """(what, number) of each kill that is tried."""
    every = [(what, n) for n in range(1, count + 1) for what in ('before', 'after')]
    every += [('moment', n) for n in range(MOMENTS)]
    chosen = [point for point in every if rng.random() < share]
    return chosen or [rng.choice(every)]


def attack(trial, share, report):
    count = record(trial)[2]
    rng = random.Random('kills %s %d' % (trial.name, trial.bench.seed))
    for what, number in points(count, share, rng):
        folder, seed = trial.new_folder(), rng.randrange(1 << 30)
        try:
            if what == 'moment':
                killed_at(trial, folder, rng.uniform(0.003, 0.02 + count * 0.0006), seed)
            else:
                shim = {'CRASH_KILL': number, 'CRASH_AFTER': int(what == 'after'), 'CRASH_SEED': seed}
                if not killed(trial, folder, shim):
                    continue   # threads make more or fewer changes
            after_kill(trial, folder, count, rng, report.kept)
            trial.check_inputs()
            report.passed('kills')
        except Fault as fault:
            report.failed('kills', '%s, killed %s %d' % (trial.name, what, number), fault, trial)
