# WebDataset archives: consecutive members with one key are a record, whatever way they come.
cat > make.py <<'P'
import io, os, tarfile
data = os.environ['DATA']
jpg = open(data + '/media/420.jpg', 'rb').read()
png = open(data + '/images/png/rgb.png', 'rb').read()
def write(name, samples):
    with tarfile.open(name, 'w', format=tarfile.USTAR_FORMAT) as t:
        for field, value in samples:
            info = tarfile.TarInfo(field); info.size = len(value)
            t.addfile(info, io.BytesIO(value))
write('train-000000.tar', [('__meta__', b'no sample'), ('a/0000.cls', b' 7\n'), ('a/0000.JPG', jpg), ('a/0000.json', b'{"x": 1}'),
    ('a/0001.cls', b'-3'), ('a/0001.png', png), ('a/0001.seg.PNG', png[:20]), ('.hidden.txt', b'no')])
write('train-000001.tar', [('b.c/0002.jpeg', jpg), ('b.c/0002.png', b'second'), ('text.txt', b'words'), ('text.npy', b''), ('a/0001.cls', b'9')])
P
python3 make.py
tfr shard train-000000.tar train-000001.tar -o want.tfrecord 2> err; echo "status $?"; sed 's/in [0-9.]* s/in N s/' err
tfr show -q --json want.tfrecord
ls -A
want=$(tfr count --sum want.tfrecord)
same() { [ "$(tfr count --sum x.tfrecord)" = "$want" ] || echo "$* differs"; }
for name in 'train-{000000..000001}.tar' 'train-00000{0,1}.tar' 'train-*.tar'; do tfr shard "$name" -q -f -o x.tfrecord; echo "$name: status $?"; same "$name"; done
ls train-*.tar > list.txt; tfr shard --from webdataset @list.txt -q -f -o x.tfrecord; same list
cat train-*.tar | tfr shard --from webdataset - -q -f -o x.tfrecord; echo "a pipe: status $?"; same pipe
mkfifo f; cat train-*.tar > f & tfr shard --from webdataset f -q -f -o x.tfrecord; echo "a FIFO: status $?"; same FIFO
mv train-000000.tar t-00000-of-00002.tar; mv train-000001.tar t-00001-of-00002.tar
tfr shard t@2.tar -q -f -o x.tfrecord; echo "t@2.tar: status $?"; same set
# Record k to shard k modulo N, and the same for any number of threads.
for j in 1 2 7; do tfr shard t@2.tar -q -f -j $j -o y@3.tfrecord; cat y-*.tfrecord | md5sum; done | sort -u | wc -l
for k in 0 1 2; do tfr show -q --json y-0000$k-of-00003.tfrecord | grep -o '"image/key": [^]]*]'; done
if ! tfr version | grep -q 'no libarchive'; then
  cat t-*.tar | gzip > t.tar.gz; tfr shard t.tar.gz -q -f -o x.tfrecord 2>&1 || echo "status $?"; same gz
fi
ls -A | grep -F .tmp
echo "--- a WebDataset of images has one in half of its samples"
mkdir -p most; cp "$DATA/pairs/images/gray8.jpg" most/1.jpg; for k in 1 2 3; do echo 1 > most/$k.cls; done
(cd most; tar --sort=name -cf ../most.tar *); tfr shard most.tar --dry-run -o s.tfrecord 2>&1 | grep 'read as'
rm most/3.cls; (cd most; tar --sort=name -cf ../most.tar *); tfr shard most.tar --dry-run -o s.tfrecord 2>&1 | grep 'read as'
exit 0
