# --by on what is damaged, no Example, or makes no classes: the first fault in order, and nothing on standard output.
python3 "$TOOLS/labelled.py" a 0 3000; python3 "$TOOLS/labelled.py" b 3000 6000
tfr count --by label a b | head -n 2
python3 - <<'P'
d = bytearray(open('b', 'rb').read())
d[len(d) // 2] ^= 255
open('bad', 'wb').write(d)
d[len(d) // 4] ^= 255
open('worse', 'wb').write(d)
open('cut', 'wb').write(d[:777])
P
for j in 1 4; do tfr count -j $j --by label a bad worse 2>&1 | cut -c 1-60; done
tfr count --by label cut 2>&1; tfr count --by label a bad > out 2> /dev/null; echo "status $? $(wc -c < out)"
tfr count --json --by label a bad > out 2> /dev/null; echo "status $? $(wc -c < out)"
python3 "$DATA/records.py" write 'not an Example' > raw; tfr count --by label a raw 2>&1 | head -n 1
: > empty; tfr count --by label empty 2>&1; echo "status $?"
python3 - <<'P'
import records
# A million different values and one more; a million is fine.
for name, n in ('million', 1000000), ('more', 1000001):
    with open(name, 'wb') as f:
        f.write(records.frame(records.example({'a': records.int64_list(range(n))})))
P
tfr count --by a million | wc -l
for j in 1 3; do tfr count -j $j --by a more; echo "status $?"; done 2>&1
