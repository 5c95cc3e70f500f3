# A damaged record stops it, with its place, or is passed over with one warning; nothing is published by halves.
python3 "$TOOLS/classes.py" make in 3 0=30 1=30
python3 - <<'P'
data = bytearray(open('in-00001-of-00003', 'rb').read())
data[len(data) // 2] ^= 1
open('in-00001-of-00003', 'wb').write(data)
P
tfr resample in@3 --by label --target uniform -o out@2 2>&1; echo "status $?"
ls -A
tfr resample in@3 --by label --target uniform --on-error skip -o out@2 2> err; echo "status $?"; sed 's/skipped [0-9]*, //; s/in [0-9.]* s/in N s/' err
# Records without a class, without the feature's kind, without Examples.
python3 - <<'P'
import records as r
rows = [r.example({'label': r.int64_list([n % 2])}) for n in range(6)]
odd = [r.example({'label': r.bytes_list([b'1'])}), r.example({'other': r.int64_list([1])}),
       r.example({'label': r.int64_list([])}), b'no Example', r.example({'label': r.float_list([1.0])})]
for n, payload in enumerate(odd):
    open('odd%d' % n, 'wb').write(b''.join(map(r.frame, rows[:4] + [payload] + rows[4:])))
open('bytes-first', 'wb').write(b''.join(map(r.frame, [odd[0]] + rows)))
P
for n in 0 1 2 3 4; do
  tfr resample odd$n --by label --target uniform -o none 2>&1; echo "status $?"
  tfr resample odd$n --by label --target uniform -o out -f --on-error skip 2> err; echo "status $?"; sed 's/skipped [0-9]*, //; s/in [0-9.]* s/in N s/' err
done
tfr resample bytes-first --by label --target uniform -o none 2>&1; echo "status $?"
tfr resample bytes-first --by label --target uniform -o out -f --on-error skip 2> err; sed 's/skipped [0-9]*, //; s/in [0-9.]* s/in N s/' err
[ ! -e none ] || echo "something is left"
