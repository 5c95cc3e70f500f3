# Compressed tar and zip that are cut short, not what they say, encrypted, or a bomb.
if tfr version | grep -q 'no libarchive'; then echo 'built without libarchive'; exit 77; fi
cat > make.py <<'P'
import gzip, io, os, tarfile, zipfile, zlib
png = open(os.environ['DATA'] + '/images/png/rgb.png', 'rb').read()
with tarfile.open('t.tar', 'w', format=tarfile.USTAR_FORMAT) as t:
    for k in range(3):
        i = tarfile.TarInfo('%d.png' % k); i.size = len(png)
        t.addfile(i, io.BytesIO(png))
data = open('t.tar', 'rb').read()
packed = gzip.compress(data, mtime=0)
open('cut.tar.gz', 'wb').write(packed[:len(packed) // 2])
open('cut-inside.tar.gz', 'wb').write(gzip.compress(data[:1000], mtime=0))
open('text.gz', 'wb').write(gzip.compress(b'hello ' * 1000, mtime=0))
with zipfile.ZipFile('t.zip', 'w', zipfile.ZIP_DEFLATED) as z:
    for k in range(3):
        z.writestr('%d.png' % k, png)
data = bytearray(open('t.zip', 'rb').read())
open('cut.zip', 'wb').write(data[:len(data) // 2])
crc = bytearray(data)
crc[data.find(b'PK\x03\x04', 10) + 14] ^= 1                    # of the second member, in both of its headers
crc[data.find(b'PK\x01\x02', data.find(b'PK\x01\x02') + 1) + 16] ^= 1
open('crc.zip', 'wb').write(crc)
flag = bytearray(data)
flag[6] |= 1; flag[data.find(b'PK\x01\x02') + 8] |= 1
open('encrypted.zip', 'wb').write(flag)
# 300 MiB of zeros behind the signature of an image, in a member that claims 3 GiB and in one that claims 100 bytes.
bomb = zlib.compressobj(1, zlib.DEFLATED, -15)
body = b''.join(bomb.compress(bytes(1 << 20) if k else png[:16] + bytes((1 << 20) - 16)) for k in range(300)) + bomb.flush()
def member(name, size):
    number = lambda n, width: n.to_bytes(width, 'little')
    return (b'PK\x03\x04' + number(20, 2) + bytes(2) + b'\x08\0' + bytes(8) + number(len(body), 4) + number(size, 4)
            + number(len(name), 2) + bytes(2) + name + body)
open('bomb.zip', 'wb').write(member(b'bomb.png', 3 << 30) + member(b'liar.png', 100) + data)
P
python3 make.py
for name in cut.tar.gz cut-inside.tar.gz text.gz cut.zip encrypted.zip; do tfr shard $name -q -o x@2 2>&1; echo "$name: status $?"; done
tfr shard crc.zip -o crc.tfrecord 2>&1 | sed 's/in [0-9.]* s/in N s/'
python3 - <<'P'
import os, resource, subprocess
done = subprocess.run(['tfr', 'shard', '--from', 'archive', '-', '-j', '2', '-o', 'bomb.tfrecord'], stdin=subprocess.Popen(
    ['cat', 'bomb.zip'], stdout=subprocess.PIPE).stdout, stderr=subprocess.PIPE, text=True)
print('status', done.returncode)
print('\n'.join(line for line in done.stderr.splitlines() if 'warning' in line))
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
assert os.environ.get('SANITIZED') or peak < 100 << 10, peak
P
tfr count bomb.tfrecord
ls -A | grep ^x
exit 0
