# --format: each part that is compared is a case.
python3 - <<'P'
from records import bytes_list, example, frame, int64_list
def write(name, rows):
    open(name, 'wb').write(b''.join(frame(example({'id': bytes_list([b'%d' % i]), 'n': v})) for i, v in rows))
write('a', [(i, int64_list([i])) for i in range(8)])
write('b', [(i, int64_list([i + 9 * (i == 3)])) for i in range(1, 9)])
write('c', [(i, bytes_list([b'x'])) for i in range(8)])
P
one() { sed 's/time="[^"]*"/time="T"/'; }
cp a same; tfr diff -q --format junit a same | one; echo "status ${PIPESTATUS[0]}"
tfr diff -q --format junit a b --key id --ordered | one; echo "status ${PIPESTATUS[0]}"
tfr diff -q --format github a b; echo "status $?"
tfr diff -q --format github a c --only schema; echo "status $?"
tfr diff -q --format junit a b --overlap | one; echo "status ${PIPESTATUS[0]}"
tfr diff -q --format json a b | cmp - <(tfr diff -q --json a b) && echo same
