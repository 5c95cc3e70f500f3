# --format junit and github print what contradicts the schema, in place of it.
exec 2>&1
python3 - <<'P'
from records import bytes_list, example, frame, int64_list
def write(name, values):
    open(name, 'wb').write(b''.join(frame(example({'n': v})) for v in values))
write('good', [int64_list([i]) for i in range(4)])
write('odd', [int64_list([1]), bytes_list([b'x'])])
P
one() { sed 's/time="[^"]*"/time="T"/'; }
tfr schema -q --format junit good | one; echo "status ${PIPESTATUS[0]}"
tfr schema -q --format junit odd 2> err | one; echo "status ${PIPESTATUS[0]}"; cat err
tfr schema -q --format github odd; echo "status $?"
tfr schema --format json good | cmp - <(tfr schema --json good) && echo same
tfr schema --format junit --emit python good; echo "status $?"
