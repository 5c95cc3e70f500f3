# A small ZLIB stream with bytes behind it is ZLIB, and the bytes are the fault; its records are read.
python3 - <<'P'
import zlib
import records
data = zlib.compress(records.frame(b'alpha') + records.frame(b'beta'))
open('garbage', 'wb').write(data + b'garbage')
open('zeros', 'wb').write(data + bytes(20))
open('bad-sum', 'wb').write(data[:-1] + bytes([data[-1] ^ 1]))
P
for f in garbage zeros bad-sum; do tfr check --json $f | grep -E 'reason|"records"'; done
