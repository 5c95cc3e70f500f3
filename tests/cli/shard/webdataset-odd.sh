# Samples that cannot be: skipped with the reason; two members for one field: an error that names them.
cat > make.py <<'P'
import io, os, tarfile
data = os.environ['DATA']
png = open(data + '/images/png/rgb.png', 'rb').read()
def write(name, samples):
    with tarfile.open(name, 'w', format=tarfile.GNU_FORMAT) as t:
        for field, value in samples:
            info = tarfile.TarInfo(field)
            if value is None:
                info.type, info.linkname = tarfile.SYMTYPE, '/etc/passwd'
            else:
                info.size = len(value)
            t.addfile(info, io.BytesIO(value or b''))
write('odd.tar', [('0.cls', b'1'), ('0.png', png), ('README', b'no dot'), ('1.cls', b'cat'), ('1.png', png), ('2.png', png[:50]), ('3.png', png),
    ('3.txt', None), ('../4.txt', b'up'), ('/5.txt', b'root'), ('6.cls', b''), ('7.cls', b'99999999999999999999'), ('8.\udcff', b'x'), ('9.cls', b'9')])
write('twice.tar', [('0.cls', b'1'), ('0.txt', b'a'), ('0.TXT', b'b')])
write('images.tar', [('a/0.jpg', png), ('a/0.png', png), ('b/1.png', png)])
write('gap.tar', [('a.cls', b'1'), ('a.png', png), ('b.cls', b'2'), ('b.png', png), ('a.txt', b'again')])
P
python3 make.py
tfr shard --max-skipped 100 odd.tar -o odd.tfrecord 2> err; echo "status $?"; sed 's/in [0-9.]* s/in N s/' err
cat odd.tar | tfr shard --max-skipped 100 --from webdataset - -q --on-error quarantine=bad.txt -o piped.tfrecord; cmp odd.tfrecord piped.tfrecord; cat bad.txt
tfr shard twice.tar -o x.tfrecord 2>&1; echo "status $?"
tfr shard gap.tar -q -o gap.tfrecord; tfr show -q --json gap.tfrecord | grep -o '"image/key": [^]]*]'
# Two images of one name are no WebDataset, unless it is said that they are.
tfr shard images.tar -q -o p.tfrecord; tfr count p.tfrecord
tfr shard images.tar -q -f --from webdataset -o p.tfrecord; tfr count p.tfrecord
head -c 1500 gap.tar > cut.tar; tfr shard cut.tar -q -o x.tfrecord 2>&1; echo "status $?"
tfr shard 'none-{00..02}.tar' -o x.tfrecord 2>&1; echo "status $?"
tfr shard --label-base 1 gap.tar -o x.tfrecord 2>&1; echo "status $?"
tfr shard --shuffle gap.tar -o x.tfrecord 2>&1; echo "status $?"
tfr shard --from webdataset 'none-{0..9999999}.tar' -o x.tfrecord 2>&1; echo "status $?"
tfr shard -q --sha256 -f gap.tar -o gap.tfrecord; tfr show -q --json gap.tfrecord | grep -c sha256
# Records that are compressed are no archive, whatever they begin with.
tfr cat -q gap.tfrecord -z gzip -o gap.gz; tfr shard -q gap.gz gap.tfrecord -o both.tfrecord; tfr count both.tfrecord
ls -A | grep ^x
exit 0
