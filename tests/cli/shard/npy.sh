# NPY: every type and order gives the values that NumPy has; a row a record, an array a feature.
show() { tfr show -q --json --bytes base64 "$@"; }
for file in "$DATA"/arrays/*.npy; do
	tfr shard -q -f "$file" -o a.tfrecord && echo "$(basename "$file"): $(show a.tfrecord | python3 "$TOOLS/rows.py" "$file.jsonl")"
done
echo "what is said, and shapes"
cd "$DATA/arrays"
tfr shard struct.npy -o "$OLDPWD/s.tfrecord" 2>&1 | sed 's/in [0-9.]* s/in N s/'; cd "$OLDPWD"
tfr show -q --limit 1 s.tfrecord
tfr shard -q "$DATA/arrays/cube.npy" -o c.tfrecord; tfr show -q --limit 1 c.tfrecord; tfr check -q --example c.tfrecord
echo "several"
cd "$DATA/arrays"; tfr shard -q little-i1.npy fortran.npy text.npy version3.npy -o "$OLDPWD/m.tfrecord"; cd "$OLDPWD"
tfr show -q --limit 1 m.tfrecord
echo "types"
tfr shard -q "$DATA/arrays/cube.npy" --types cube=bytes -o t.tfrecord; tfr show -q --limit 1 t.tfrecord
show t.tfrecord | python3 -c '
import base64, json, os, sys
data = open(os.environ["DATA"] + "/arrays/cube.npy", "rb").read()[-7 * 48:]
print(all(base64.b64decode(json.loads(line)["cube"][0]["base64"]) == data[48 * k:48 * k + 48] for k, line in enumerate(sys.stdin)))'
tfr shard -q "$DATA/arrays/big-u2.npy" --types big-u2=float -o u.tfrecord -f; tfr show -q --limit 1 u.tfrecord
refused() { tfr shard -q -f "$@" -o x.tfrecord 2>&1; echo "status $?"; }
refused "$DATA/arrays/little-f4.npy" --types little-f4=int 2>&1
refused "$DATA/arrays/little-f4.npy" --types f4=float 2>&1 | sed "s:$DATA/::"
echo "the same bytes for any -j and -m; shuffled, resumed, divided"
tfr shard -q "$DATA/arrays/little-u8.npy" -o n@2.tfrecord; tfr shard -q -j 7 -m 1 "$DATA/arrays/little-u8.npy" -o o@2.tfrecord
for k in 0 1; do cmp n-0000$k-of-00002.tfrecord o-0000$k-of-00002.tfrecord; done
tfr shard -q -f --shuffle --seed 4 "$DATA/arrays/fortran.npy" -o p.tfrecord; tfr shard -q -f "$DATA/arrays/fortran.npy" -o q.tfrecord
cmp -s p.tfrecord q.tfrecord || echo "another order"
[ "$(tfr count --sum p.tfrecord)" = "$(tfr count --sum q.tfrecord)" ] && echo "the same records"
tfr shard -q --resume -f "$DATA/arrays/cube.npy" -o c.tfrecord; tfr shard -q "$DATA/arrays/cube.npy" -o v.tfrecord=0.5 -o w.tfrecord
tfr count --per-file v.tfrecord w.tfrecord
tfr shard -q --dry-run "$DATA/arrays/cube.npy" -o c@2.tfrecord
tfr shard -q "$DATA/arrays/cube.npy" --records-per-shard 3 -o f@auto.tfrecord; ls f-*
echo "values that no feature holds: the row is named"
for name in large far; do tfr shard "$DATA/arrays/none/$name.npy" -o l.tfrecord -f 2>&1 | sed "s:$DATA/::; s/in [0-9.]* s/in N s/"; tfr show -q --json l.tfrecord; done
refused "$DATA/arrays/none/large.npy" --on-error fail 2>&1 | sed "s:$DATA/::"
echo "none"
for name in scalar complex object date void long rows empty; do refused "$DATA/arrays/none/$name.npy" 2>&1 | sed "s:$DATA/::"; done
cp "$DATA/arrays/cube.npy" cut.npy; truncate -s -1 cut.npy; refused cut.npy; cp "$DATA/arrays/cube.npy" more.npy; echo >> more.npy; refused more.npy
refused "$DATA/arrays/cube.npy" cut.npy 2>&1; refused "$DATA/arrays/cube.npy" "$DATA/arrays/cube.npy" 2>&1 | sed "s:$DATA/::"
refused "$DATA/arrays/cube.npy" --labels x; refused "$DATA/arrays/cube.npy" --label-base 1; refused "$DATA/arrays/cube.npy" --no-sandbox; refused "$DATA/arrays/cube.npy" --embed cube
refused "$DATA/arrays/cube.npy" --sha256; refused "$DATA/arrays/cube.npy" --resize 4; refused "$DATA/arrays/cube.npy" --verify-images
refused "$DATA/arrays/cube.npy" --exclude cube 2>&1 | sed "s:$DATA/::"; refused --from npy - < "$DATA/arrays/cube.npy"
echo "called one and another"
: > empty.npy; printf 'version https://git-lfs.github.com/spec/v1\n' > lfs.npy; head -c 40 "$DATA/arrays/cube.npy" > head.npy
for name in empty lfs head; do refused $name.npy; refused --from npy $name.npy; done
python3 - <<'END'
import os
data = open(os.environ['DATA'] + '/arrays/version3.npy', 'rb').read()
at = data.index('größe'.encode()) + 2
open('bytes.npy', 'wb').write(data[:at] + b'\xff' + data[at + 1:])
END
refused bytes.npy; refused --exclude bytes bytes.npy
echo "texts of no bytes, but too many of them"
python3 - <<'END'
def npy(name, count, shape):
    head = "{'descr': [('a', '|S0', (%d,)), ('b', '|i1')], 'fortran_order': False, 'shape': %s}" % (count, shape)
    with open(name + '.npy', 'wb') as f:
        f.write(b'\x93NUMPY\x01\x00' + len(head).to_bytes(2, 'little') + head.encode() + bytes(65536))
npy('few', 3, '(65536,)')
npy('element', 1 << 60, '(65536,)')
npy('row', 65536, '(1, 65536)')
END
tfr shard -q few.npy -o few.tfrecord; tfr show -q --limit 1 few.tfrecord; refused element.npy; refused row.npy
