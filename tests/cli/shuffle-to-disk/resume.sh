# Killed in its second pass, a run with --resume goes on from the first; without it nothing is left.
python3 - <<'P'
import records
with open('in', 'wb') as f:
    for i in range(60000):
        f.write(records.frame(b'%d:' % i + b'x' * 500))
P
mkdir t
tfr shuffle -q -m 8M in -o whole
cat > killed.py <<'P'
"""Runs a shuffle and kills it when its second pass has begun to write."""
import os, signal, subprocess, sys, time
def is_writing(pid):
    """Whether it has an output, which may have no name yet, with something in it."""
    for fd in os.listdir(f'/proc/{pid}/fd'):
        path = f'/proc/{pid}/fd/{fd}'
        try:
            if os.path.dirname(os.readlink(path)) == os.getcwd() and os.stat(path).st_size > 0 and 'in' != os.path.basename(os.readlink(path)):
                return True
        except OSError:   # closed meanwhile
            pass
    return False
p = subprocess.Popen(['tfr', 'shuffle', '-q', '-m', '8M', '--tmpdir', 't', 'in', '-o', 'out', '-z', 'gzip', '-9'] + sys.argv[1:])
while p.poll() is None:
    try:
        if is_writing(p.pid):
            break
    except OSError:   # it has ended
        break
    time.sleep(0.002)
p.send_signal(signal.SIGKILL)
print('ended by', p.wait())
P
python3 killed.py
ls -A t
python3 killed.py --resume
ls -A t | sed 's/-[0-9a-f]\{8\}-/-HASH-/' | sed 's/-HASH-[0-9]/-HASH-N/' | sort -u
tfr shuffle -q -m 16M --tmpdir t in -o out --resume --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["resumed"])'
tfr cat -q out | cmp - whole && echo 'the same bytes'
ls -A t
ls -A
