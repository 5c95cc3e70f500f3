# --every and --sample: behind --where, before --shuffle-buffer; the draws against Philox in Python.
python3 - <<'P'
import random, subprocess
import records
from shuffled import draws, shuffled
payloads = [records.example({'label': records.int64_list([n % 5]), 'n': records.int64_list([n])}) for n in range(200)]
open('in', 'wb').write(b''.join(map(records.frame, payloads)))


def drawn(seed, n, p):
    """Whether record `n` is: the first 64 bits of its stream, as a number in [0, 1) of 53 bits."""
    numbers = draws(seed, n)
    low, high = next(numbers), next(numbers)
    return ((high << 32 | low) >> 11) / 2**53 < p


rng = random.Random(7)
for n in range(60):
    first, label, seed, buffer = rng.randrange(100), rng.randrange(6), rng.choice((0, 9, 2**63)), rng.choice((0, 4))
    every, offset, p = rng.randrange(1, 7), rng.randrange(9), rng.choice((0, 0.1, 0.5, 1))
    numbers = [n for n in range(first, 200) if n % 5 != label]
    options = ['--seed', str(seed), '--shuffle-buffer', str(buffer), '--where', 'label != %d' % label, '--records', '%d-' % first]
    if n % 2:
        want = numbers[offset::every]
        options += ['--every', '%d+%d' % (every, offset) if offset else str(every)]
    else:
        want = [n for n in numbers if drawn(seed, n, p)]
        options += ['--sample', str(p)]
    if buffer:
        want = shuffled(want, buffer, seed)
    done = subprocess.run(['tfr', 'cat', '-q', '--allow-empty', 'in', *options], capture_output=True, check=True)
    if done.stdout != b''.join(records.frame(payloads[n]) for n in want):
        print('other records', options)
assert 70 < sum(drawn(0, n, 0.5) for n in range(200)) < 130
P
tfr cat -q in --sample 0.2 | tfr count -
for wrong in 0 -1 x '' 2+ +1 2+x 2+-1 '2 + 1' 1.5; do tfr cat -q in --every "$wrong"; echo "status $?"; done 2>&1
for wrong in 1.01 -0.1 nan x '' 50%; do tfr cat -q in --sample "$wrong"; echo "status $?"; done 2>&1
tfr cat -q in --every 2 --sample 0.5 2>&1; echo "status $?"
