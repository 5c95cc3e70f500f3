# Nothing is taken into memory for what a length claims, although the file is large enough for it.
[ -n "${SANITIZED-}" ] && { echo 'a limit on memory is not for sanitizers'; exit 77; }
python3 - <<'P'
import random, records
rng = random.Random(3)
with open('large', 'wb') as f:     # forged lengths of 64 MiB and more, before and behind zeros
    for n in range(40):
        f.write(records.frame(b'record %d' % n))
        f.write(records.header(rng.randrange(1 << 26, 1 << 27)))
        f.seek(5 << 20, 1)
        f.write(records.header(1 << (20 + n)))
    f.write(b'end')
P
ulimit -v 60000
tfr repair large -o out 2> err; echo "status $?"
tail -n 2 err | sed 's/ in [0-9.]* s//'; tfr count out
stat -c %s large
