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
if os.path.exists('.out.tmp'):   # of a run killed before
    os.remove('.out.tmp')
p = subprocess.Popen(['tfr', 'shuffle', '-q', '-m', '8M', '--tmpdir', 't', 'in', '-o', 'out', '-z', 'gzip', '-9'] + sys.argv[1:])
while p.poll() is None and not (os.path.exists('.out.tmp') and os.path.getsize('.out.tmp') > 0):
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
