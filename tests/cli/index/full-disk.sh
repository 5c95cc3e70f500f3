# A full disk leaves neither half an index nor a temporary, and the old one as it was.
[ -n "${SANITIZED-}" ] && { echo 'a file size limit is not for sanitizers'; exit 77; }
python3 - <<'P'
import records
open('a', 'wb').write((records.header(0) + bytes(4)) * 20000)
P
trap '' XFSZ
(ulimit -f 100; tfr index -q a); echo "status $?"
ls -A
tfr index -q a; echo "status $?"; touch -d '+1 min' a
cp a.idx old
(ulimit -f 100; tfr index -q a); echo "status $?"
cmp a.idx old; ls -A
