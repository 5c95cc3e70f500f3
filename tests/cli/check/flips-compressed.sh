# Every byte of a GZIP and a ZLIB file flipped: told, or (in a header's time or system) the same records.
sum=$(tfr count --sum "$DATA/members.tfrecord")
for f in gzip-full-flush zlib-full-flush; do
  cp "$DATA/compressed/$f.tfrecord" whole
  SUM=$sum python3 - <<'P'
import os, subprocess
whole = open('whole', 'rb').read()
for at in range(len(whole)):
    bad = bytearray(whole)
    bad[at] ^= 0x20
    open('bad', 'wb').write(bad)
    done = subprocess.run(['tfr', 'check', '-q', 'bad'], capture_output=True)
    if done.returncode == 0 and not done.stdout:
        same = subprocess.run(['tfr', 'count', '--sum', 'bad'], capture_output=True, text=True).stdout.strip()
        if same != os.environ["SUM"]:
            print("byte", at, "passed with", same)
    elif done.returncode != 1 or not done.stdout:
        print('byte', at, done.returncode, done.stdout, done.stderr)
P
done
