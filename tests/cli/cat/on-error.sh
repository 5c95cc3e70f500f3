# Damage ends it, or is passed over with a warning and counted.
python3 - <<'P'
import records
data = bytearray(b''.join(records.frame(b'record %d' % n) for n in range(5)))
data[24 * 2 + 14] ^= 1
open('bad', 'wb').write(data)
P
tfr cat -q bad --raw; echo " status $?"
tfr cat -q bad --raw --on-error skip; echo " status $?"
tfr cat bad --on-error skip 2>&1 > /dev/null | sed 's/in [0-9.]* s/in N s/'
tfr cat -q bad --raw --on-error explode; echo "status $?"
