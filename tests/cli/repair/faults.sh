# What it says of each damage, and that the output is there and whole all the same.
python3 - <<'P'
import records
items = [b'record %d ' % n * 4 for n in range(6)]
data = bytearray(b''.join(map(records.frame, items)))
size = len(records.frame(items[0]))
def write(name, *flips, tail=b'', cut=None, without=None):
    bad = bytearray(data)
    for at in flips:
        bad[at] ^= 255
    if without:
        del bad[without]
    open(name, 'wb').write(bytes(bad)[:cut] + tail)
write('whole')
write('data', 2 * size + 20)
write('data-crc', 3 * size - 1)
write('length', 2 * size + 1)
write('length-crc', 2 * size + 9)
write('row', size + 20, 2 * size + 2)
write('row-length-first', size + 2, 2 * size + 20)
write('last', 5 * size + 3)
write('first', 3)
write('cut', cut=5 * size + 17)
write('cut-header', cut=5 * size + 5)
write('tail', tail=b'\0' * 11)
write('long-tail', tail=b'\0' * 100)
write('removed', without=slice(2 * size + 30, 2 * size + 37))
write('forged', cut=3 * size, tail=records.header(1 << 40) + bytes(data[3 * size:]))
write('forged-within', cut=3 * size, tail=records.header(60) + bytes(data[3 * size:]))
P
for f in whole data data-crc length length-crc row row-length-first last first cut cut-header tail long-tail removed forged forged-within; do
  tfr repair $f -o $f.out 2> err; echo "status $?"
  sed '/ read /d' err
  tfr check -q $f.out && tfr count $f.out
  tfr repair --dry-run -q $f > report; grep "^$f:" err | cmp - report
  tfr repair -q - -o - < $f 2> /dev/null | cmp - $f.out
done
echo 'in its own place'; tfr repair -qf data -o data; tfr check data 2>&1 | sed 's/(.*//'
echo 'notes, only notes' > text; tfr repair text --allow-empty -o text.out 2>&1 | sed 's/ in [0-9.]* s//'; wc -c < text.out
