# What it says and where, and that it goes on: after a bad data CRC, and after a bad length CRC by resynchronising.
python3 - <<'P'
import records
items = [b'record %d ' % n * 4 for n in range(6)]
data = bytearray(b''.join(map(records.frame, items)))
size = len(records.frame(items[0]))
def write(name, *flips, tail=b'', cut=None):
    bad = bytearray(data)
    for at in flips:
        bad[at] ^= 255
    open(name, 'wb').write(bytes(bad)[:cut] + tail)
write('data', 2 * size + 20)
write('data-crc', 3 * size - 1)
write('length', 2 * size + 1)
write('length-crc', 2 * size + 9)
write('two', size + 20, 4 * size + 2)
write('last', 5 * size + 3)
write('first', 3)
write('cut', cut=5 * size + 17)
write('cut-header', cut=5 * size + 5)
write('tail', tail=b'\0' * 11)
write('long-tail', tail=b'\0' * 100)
P
for f in data data-crc length length-crc two last first cut cut-header tail long-tail; do
  tfr check -q $f; echo "status $?"
done
tfr check -q two < /dev/null > by-name
tfr check -q - < two | sed 's/^-/two/; s/^standard input/two/' | cmp - by-name
