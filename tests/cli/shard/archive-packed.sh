# A compressed tar archive and a zip archive give the same records as a plain tar archive, from a file and through a pipe.
if tfr version | grep -q 'no libarchive'; then echo 'built without libarchive'; exit 77; fi
mkdir in && cp -r "$DATA/images/jpeg" "$DATA/images/png" in
python3 - <<'P'
import bz2, gzip, io, lzma, os, tarfile, zipfile
paths = sorted(os.path.join(folder, f) for folder, _, files in os.walk('in') for f in files)
with tarfile.open('t.tar', 'w') as t, tarfile.open('flat.tar', 'w') as u:
    for path in paths:
        t.add(path, os.path.relpath(path, 'in'))
        u.add(path, os.path.basename(path))
for name in ('t.tar', 'flat.tar'):
    data = open(name, 'rb').read()
    open(name + '.gz', 'wb').write(gzip.compress(data))
    open(name + '.bz2', 'wb').write(bz2.compress(data))
    open(name + '.xz', 'wb').write(lzma.compress(data))
for name, how in (('stored', zipfile.ZIP_STORED), ('deflated', zipfile.ZIP_DEFLATED)):
    with zipfile.ZipFile(name + '.zip', 'w', how) as z, zipfile.ZipFile('flat-' + name + '.zip', 'w', how) as f:
        for path in paths:
            z.write(path, os.path.relpath(path, 'in'))
            f.write(path, os.path.basename(path))
P
zstd=$(command -v zstd) && zstd -q t.tar flat.tar && zstd=.zst
tfr shard t.tar -q -o want@3; want=$(tfr count --sum want@3)
for file in t.tar.gz t.tar.bz2 t.tar.xz ${zstd:+t.tar.zst} stored.zip deflated.zip; do
  tfr shard "$file" -q -o "p-$file@3" || echo "$file: status $?"
  for k in 0 1 2; do cmp want-0000$k-of-00003 "p-$file-0000$k-of-00003"; done
done
# Several one after the other, as cat puts them together.
cat t.tar.gz t.tar.gz > two.tar.gz; tfr shard two.tar.gz -q -o two.tfrecord; tfr count two.tfrecord
# A stream has no classes in advance: members in folders are refused, those at the top are taken.
mkdir flat && cd flat
tfr shard ../flat.tar -q -o want@3; want=$(tfr count --sum want@3)
for file in flat.tar flat.tar.gz flat.tar.bz2 flat.tar.xz ${zstd:+flat.tar.zst} flat-stored.zip flat-deflated.zip; do
  cat "../$file" | tfr shard --from archive - -q -o "p-$file@3" || echo "$file: status $?"
  [ "$(tfr count --sum "p-$file@3")" = "$want" ] || echo "$file differs"
done
for file in t.tar t.tar.xz stored.zip; do cat "../$file" | tfr shard --from archive - -q -o x@3 2>&1; echo "$file: status $?"; done
tfr shard --from archive - -q -o file@3 < ../t.tar; echo "a file at standard input: status $?"
mkfifo fifo.tar; cat ../flat.tar > fifo.tar & tfr shard --from archive fifo.tar -q -o fifo@3; echo "a FIFO: status $?"
tfr shard ../t.tar.gz -q --shuffle -o s@3 2>&1; echo "status $?"
ls -A | grep -F .tmp
exit 0
