"""Kills a command with SIGKILL at random moments, again and again, until it has ended by itself or ROUNDS are over, and
then lets it end: killed.py ROUNDS SEED SECONDS COMMAND...

SECONDS is what the command takes when it is left alone; the moments are drawn over the first third of that, so that a run
is killed several times on any machine, at last near its end.  Prints how the last run ended, and on stderr how often it was killed.  A run that was killed when all had its name has ended well,
though the next one is told, with status 2, that the set is there.
"""
import random
import subprocess
import sys
import time

rounds, seed, seconds, command = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), sys.argv[4:]
draw = random.Random(seed)
kills = 0
for _ in range(rounds):
    with subprocess.Popen(command) as child:
        try:
            status = child.wait(draw.uniform(0, seconds / 3))
        except subprocess.TimeoutExpired:
            child.kill()
            status = child.wait()
            kills += status < 0
    if status >= 0:
        break
else:
    status = subprocess.run(command).returncode
print('killed %d times' % kills, file=sys.stderr)
print('status', 0 if kills and status == 2 else status)
