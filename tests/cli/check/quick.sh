# --quick: length checksums and the exact end, no payload.
python3 - <<'P'
import records
whole = records.frame(b'alpha') * 3
open('whole', 'wb').write(whole)
open('payload', 'wb').write(whole[:14] + b'X' + whole[15:])
open('length', 'wb').write(whole[:21] + b'X' + whole[22:])
open('tail', 'wb').write(whole + b'12345')
P
for f in whole payload length tail; do tfr check --quick -q $f; echo "status $?"; done
