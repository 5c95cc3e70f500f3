python3 - <<'P'
import records
items = [records.frame(bytes([65 + n]) * 10) for n in range(4)]
items[1] = items[1][:15] + b'?' + items[1][16:]
open('bad', 'wb').write(b''.join(items) + b'tail')
open('good', 'wb').write(items[0])
P
tfr repair bad good --json -o out > report 2> err; echo "status $?"; sed 's/"seconds": [^}]*/"seconds": N/' report; cat err
tfr repair bad --json -o - > stdout 2> report; echo "status $?"; tfr count stdout; grep -c '"lost_bytes"' report
tfr repair good --json --dry-run | sed 's/"seconds": [^}]*/"seconds": N/'
