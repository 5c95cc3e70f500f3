# Every byte of a file flipped, two ways: a fault each, from a file and from a pipe, and none by a signal.
python3 "$DATA/records.py" write alpha '' gamma > whole
python3 - <<'P'
import subprocess
whole = open('whole', 'rb').read()
passed = 0
for at in range(len(whole)):
    for bit in (0x01, 0x80):
        bad = bytearray(whole)
        bad[at] ^= bit
        open('bad', 'wb').write(bad)
        for how in ({'args': ['tfr', 'check', '-q', 'bad']}, {'args': ['tfr', 'check', '-q'], 'stdin': open('bad', 'rb')}):
            done = subprocess.run(capture_output=True, **how)
            if done.returncode == 1 and done.stdout:
                passed += 1
            else:
                print('byte', at, 'bit', bit, how['args'], done.returncode, done.stdout, done.stderr)
print(passed, 'of', len(whole) * 4, 'flips told')
P
