# The live view on terminals of 80 and of 60 columns: no line wraps, it is redrawn in place, and gone at the end.
cp "$DATA/images.tfrecord" . # a report does not break paths, which may be long
cat > draw.py <<'P'
import fcntl, os, pty, re, struct, subprocess, sys, termios
columns, options = int(sys.argv[1]), sys.argv[2:]
out, far = pty.openpty()
fcntl.ioctl(far, termios.TIOCSWINSZ, struct.pack('4H', 24, columns, 0, 0))
done = subprocess.run(['tfr', 'bench-feed', '--device', 'host', '--batch', '4', '--epochs', '1000000', '--seconds', '2', *options,
                       'images.tfrecord'], stderr=far, stdout=subprocess.DEVNULL)
os.close(far)
shown = b''
try:
    while chunk := os.read(out, 65536):
        shown += chunk
except OSError:
    pass
shown = shown.decode()
frames = [f for f in re.split(r'\x1b\[\d+A\r\x1b\[J|\r\x1b\[J', shown) if f.strip()]
lines = [l for f in frames for l in f.splitlines()]
last = frames[-1].splitlines()
print(columns, 'status', done.returncode, 'drawn:', len(frames) > 1, 'gone:', shown.endswith('\r\x1b[J'))
print('columns:', max(map(len, lines)) < columns, 'complete:', all(re.search(r'(busy|queue \d+/\d+|batches|read|device|records/s|max .*s|p99 .*s|p50 .*s|%|progress)$', l) for l in lines))
print('bars:', [l.split()[0] for l in last if re.search(r'\[.*\] +[0-9.]+% busy', l)])
print('waits:', any(l.startswith('batch wait: ') for l in last), 'a waiting device:', 'device waits' in shown)
P
python3 draw.py 80
python3 draw.py 60
python3 draw.py 60 --compute-ms 1
tfr bench-feed --device host --batch 4 --epochs 100000 --seconds 1 --progress never images.tfrecord 2>&1 > /dev/null | wc -c
# The report at 60 columns: words and numbers with their units stay together, and each column is complete.
COLUMNS=60 tfr bench-feed -q --device host --batch 4 --epochs 3 images.tfrecord > report
awk 'length > 60' report; grep -c '^decode  *[0-9]* .*%$\|^decode .*[0-9]$' report; grep -c 'device waits' report
