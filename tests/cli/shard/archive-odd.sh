# What lies in archives beside files of images: nothing of it leads anywhere, and each is named.
cat > make.py <<'P'
import io, os, tarfile
png = open(os.environ['DATA'] + '/images/png/rgb.png', 'rb').read()
def add(t, name, data=png, kind=tarfile.REGTYPE, **more):
    info = tarfile.TarInfo(name)
    info.type, info.size = kind, len(data) if kind in (tarfile.REGTYPE, b'Z') else 0
    for key, value in more.items():
        setattr(info, key, value)
    t.addfile(info, io.BytesIO(data))
long_name = 'a/' + 'd' * 90 + '/' + 'e' * 120 + '.png'
with tarfile.open('odd.tar', 'w', format=tarfile.GNU_FORMAT) as t:
    add(t, './a', b'', tarfile.DIRTYPE)
    add(t, 'empty', b'', tarfile.DIRTYPE)
    add(t, './a/./1.png')
    add(t, 'a//1.png')
    add(t, '/etc/passwd.png')
    add(t, 'a/../../up.png')
    add(t, 'a/link.png', b'', tarfile.SYMTYPE, linkname='/etc/passwd')
    add(t, 'a/hard.png', b'', tarfile.LNKTYPE, linkname='a/1.png')
    add(t, 'a/null', b'', tarfile.CHRTYPE)
    add(t, 'a/fifo', b'', tarfile.FIFOTYPE)
    add(t, 'b/.hidden.png')
    add(t, '.git/x.png')
    add(t, long_name)
    add(t, 'b/\udcff\udcfe.png')
    add(t, 'b/strange.png', kind=b'Z')
    add(t, 'b/empty.png', b'')
    add(t, 'b/new\nline.png', png[:40])
with tarfile.open('pax.tar', 'w', format=tarfile.PAX_FORMAT) as t:
    add(t, 'a/1.png', pax_headers={'comment': 'x' * 5000})
    add(t, long_name)
    add(t, 'a/' + 'ü' * 80 + '.png', mtime=1234.5)
    add(t, 'b/last.png')
# Without the magic, the format of 1979; and numbers in GNU's base 256.
with tarfile.open('old.tar', 'w', format=tarfile.USTAR_FORMAT) as t:
    add(t, 'a/1.png'); add(t, 'b/2.png')
data = bytearray(open('old.tar', 'rb').read())
for at in (0, 512 + (len(png) + 511) // 512 * 512):
    data[at + 257:at + 265] = bytes(8)
    data[at + 124:at + 136] = b'\x80' + len(png).to_bytes(11, 'big')
    data[at + 148:at + 156] = b' ' * 8
    data[at + 148:at + 156] = b'%06o\0 ' % sum(data[at:at + 512])
open('old.tar', 'wb').write(data)
P
python3 make.py
for name in odd pax old; do
  echo "== $name"
  tfr shard --max-skipped 100 $name.tar -o $name.tfrecord 2> err; echo "status $?"; sed 's/in [0-9.]* s/in N s/' err
  tfr show -q --json $name.tfrecord | grep -o '"image/filename": [^]]*]'
  rm -f *.labels.txt
done
# A sparse file as tar writes it, between others.
mkdir s && truncate -s 1M s/hole.png && cp "$DATA/images/png/rgb.png" s/a.png && cp "$DATA/images/png/rgb.png" s/z.png
for format in gnu posix; do
  tar --sparse --format=$format -C s -cf sparse.tar a.png hole.png z.png
  tfr shard sparse.tar -f -o sparse.tfrecord 2>&1 | sed 's/in [0-9.]* s/in N s/'
done
tfr shard old.tar odd.tar -o x 2>&1; echo "status $?"
tfr shard --max-skipped 100 odd.tar --on-error quarantine=bad.txt -q -o q.tfrecord; cat bad.txt
tfr shard odd.tar --on-error fail -q -o f.tfrecord 2>&1; echo "status $?"
ls -A
