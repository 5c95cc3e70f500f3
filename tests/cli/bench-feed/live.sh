# What a terminal shows while it runs: at most 80 columns, redrawn in place, and gone at the end.
python3 - <<'P'
import os, pty, re, subprocess
out, far = pty.openpty()
done = subprocess.run(['tfr', 'bench-feed', '--device', 'host', '--batch', '4', '--epochs', '1000000', '--seconds', '2',
                       os.environ['DATA'] + '/images.tfrecord'], stderr=far, stdout=subprocess.DEVNULL)
os.close(far)
shown = b''
try:
    while chunk := os.read(out, 65536):
        shown += chunk
except OSError:
    pass
shown = shown.decode()
frames = [f for f in re.split(r'\x1b\[\d+A\r\x1b\[J|\r\x1b\[J', shown) if f.strip()]
print('status', done.returncode, 'drawn:', len(frames) > 1, 'gone:', shown.endswith('\r\x1b[J'))
print('columns:', max(len(l) for f in frames for l in f.splitlines()) < 80)
print('bars:', [l.split()[0] for l in frames[-1].splitlines() if '[' in l])
print('waits:', any(l.startswith('batch wait: ') for l in frames[-1].splitlines()))
P
tfr bench-feed --device host --batch 4 --epochs 100000 --seconds 1 --progress never "$DATA/images.tfrecord" 2>&1 > /dev/null | wc -c
