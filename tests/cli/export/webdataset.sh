# A WebDataset becomes a set and comes back byte for byte, from a file and through pipes.
cat > make.py <<'P'
import io, os, tarfile
data = os.environ['DATA']
jpg = open(data + '/media/420.jpg', 'rb').read()
png = open(data + '/images/png/rgb.png', 'rb').read()
long = 'd' * 80 + '/' + 'e' * 60
longest = 'f' * 150 + '/' + 'g' * 120
with tarfile.open('t.tar', 'w', format=tarfile.PAX_FORMAT) as t:
    for name, value in (('a/0.cls', b'7'), ('a/0.jpg', jpg), ('a/0.json', b'{"x": 1}'), ('a/1.jpeg', jpg), ('a/1.seg.png', png[:20]), ('b.c/2.cls', b'-3'),
                        ('b.c/2.png', png), ('text.npy', b''), ('text.txt', b'words' * 103), (long + '.cls', b'9'), (longest + '.png', png), ('żółw/ü.cls', b'1')):
        info = tarfile.TarInfo(name)
        info.size, info.mode, info.uname, info.gname = len(value), 0o444, 'bigdata', 'bigdata'
        t.addfile(info, io.BytesIO(value))
P
python3 make.py
tfr shard t.tar -q -o t@2.tfrecord; echo "status $?"
tfr shard t.tar -q -o one.tfrecord
tfr export one.tfrecord -o back.tar 2> err; echo "status $?"; sed 's/in [0-9.]* s/in N s/' err; tar tf back.tar | cut -c1-60; cmp t.tar back.tar
for j in 1 5; do tfr export -q -j $j one.tfrecord -o j$j.tar; cmp back.tar j$j.tar; done
cat t.tar | tfr shard -q --from webdataset - -o - | tfr export -q --to webdataset -o - | cmp - t.tar
tfr export -q one.tfrecord -o back.tar 2>&1; echo "status $?"; tfr export -q -f one.tfrecord -o back.tar; cmp t.tar back.tar
# What no field can hold is features.json; what an Example does not say is nothing.
tfr export -q "$DATA/kinds.tfrecord" --on-error skip -o kinds.tar; tar tf kinds.tar; tar xf kinds.tar --to-stdout 00000001.features.json; echo
tfr shard -q --from webdataset kinds.tar -o kinds.tfrecord; tfr show --json -q kinds.tfrecord | head -n 2
tfr export -q "$DATA/kinds.tfrecord" -o x.tar 2>&1 | sed "s|$DATA|DATA|"; echo "status ${PIPESTATUS[0]}"
# Examples without an image, or with one of another kind: each feature is in a field, and a key alone is refused.
python3 - <<'P'
import records as r
b = lambda *v: r.bytes_list(list(v))
rows = [{'image/filename': b(b'a/b.jpg')}, {'image/format': b(b'png')}, {'image/encoded': r.int64_list([1])}, {'image/encoded': r.bytes_list([])},
        {'image/encoded': b(b'one', b'two')}, {'image/key': b(b'cat/1'), 'image/class/text': b(b'cat')}, {'image/class/label': r.int64_list([1])},
        {'image/height': r.int64_list([1]), 'image/class/label': r.float_list([1])}, {'image/key': b(b'key')}, {},
        {'image/key': r.int64_list([3]), 'x': b(b'y')}]
open('odd', 'wb').write(b''.join(r.frame(r.example(row)) for row in rows))
P
tfr export -q odd --on-error skip -o odd.tar 2>&1; echo "status $?"
python3 -c "
import tarfile
for m in (t := tarfile.open('odd.tar')): print(m.name, t.extractfile(m).read())"
for form in folder jsonl csv; do tfr export -q odd --on-error skip --to $form -o odd.$form > /dev/null 2>&1; echo "$form $?"; done
for name in x.tar.gz x.zip; do tfr export -q one.tfrecord -o $name 2>&1; echo "status $?"; done
tfr export -q one.tfrecord -o - 2>&1; echo "status $?"
tfr export -q one.tfrecord -o x --to nothing 2>&1; echo "status $?"
( trap '' XFSZ; ulimit -f 4; tfr export -q one.tfrecord -o x.tar 2>&1; echo "status $?" )
ls -A | grep -e ^x -e tmp
exit 0
