# A disk that fills up under either output leaves none.
[ -n "${SANITIZED-}" ] && { echo 'a file size limit is not for sanitizers'; exit 77; }
python3 - <<'P'
import records
whole = records.frame(bytes(100)) * 2000
open('kept', 'wb').write(whole + b'tail')
open('lost', 'wb').write(bytes(300000))
P
trap '' XFSZ
(ulimit -f 100; tfr repair -q kept -o out --on-error quarantine=q 2>&1); echo "status $?"
(ulimit -f 100; tfr repair -q lost -o out --on-error quarantine=q 2>&1); echo "status $?"
ls -A
