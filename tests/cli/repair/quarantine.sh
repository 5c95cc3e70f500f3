# The quarantine has the lost bytes and nothing else; it and the output come together or not at all.
python3 - <<'P'
import records
items = [records.frame(bytes([65 + n]) * 10) for n in range(5)]
items[1] = items[1][:15] + b'?' + items[1][16:]
items[3] = b'garbage, and more of it'
open('bad', 'wb').write(b''.join(items))
open('want', 'wb').write(items[1] + items[3])
open('mended', 'wb').write(items[3])
P
tfr repair -q bad -o out --on-error quarantine=lost 2>&1; echo "status $?"; cmp lost want
tfr repair -q bad -o out2 --on-error quarantine=lost 2>&1; echo "status $?"; ls
tfr repair -qf bad -o out2 --on-error quarantine=lost --fix-checksums 2>&1; echo "status $?"; cmp lost mended
python3 "$DATA/records.py" list out2
tfr repair -q out --on-error quarantine=none -o same; echo "status $?"; cmp out same; wc -c < none
tfr repair -q bad -o 'set@2' --on-error quarantine=set.lost 2> /dev/null; ls set*; tfr count --sum 'set@2' out
