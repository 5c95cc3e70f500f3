# An archive that is cut short or that lies about its sizes: told with its name and place; nothing is left.
cat > make.py <<'P'
import io, os, tarfile
png = open(os.environ['DATA'] + '/images/png/rgb.png', 'rb').read()
def info(name, size):
    i = tarfile.TarInfo(name); i.size = size
    return i
with tarfile.open('t.tar', 'w', format=tarfile.USTAR_FORMAT) as t:
    for k in range(3):
        t.addfile(info('%d.png' % k, len(png)), io.BytesIO(png))
data = open('t.tar', 'rb').read()
step = 512 + (len(png) + 511) // 512 * 512
for name, at in {'header': step + 100, 'payload': 2 * step + 520, 'padding': 3 * step - 1}.items():
    open(name + '.tar', 'wb').write(data[:at])
open('no-end.tar', 'wb').write(data[:3 * step])
open('junk.tar', 'wb').write(data + b'x' * 512)
open('garbage.tar', 'wb').write(data[:step] + b'garbage!' * 64 + data[step + 512:])
# A header that claims a terabyte, and one that claims more than there can be.
for name, size in (('terabyte', 1 << 40), ('huge', (1 << 63) + 5)):
    head = bytearray(info('big.png', 0).tobuf(tarfile.GNU_FORMAT))
    head[124:136] = b'\x80' + size.to_bytes(11, 'big')
    head[148:156] = b' ' * 8
    head[148:156] = b'%06o\0 ' % sum(head)
    open(name + '.tar', 'wb').write(data[:step] + bytes(head) + png)
P
python3 make.py
for name in header payload padding terabyte huge garbage; do
  tfr shard $name.tar -q -o x@2 2>&1; echo "$name: status $?"
  ( [ -n "${SANITIZED-}" ] || ulimit -v 2000000; cat $name.tar | tfr shard --from archive - -q -o x@2 2>&1 ); echo "$name through a pipe: status $?"
done
for name in no-end junk; do tfr shard $name.tar -q -o $name.tfrecord; echo "$name: status $?, $(tfr count $name.tfrecord) records"; done
: > empty.tar; tfr shard empty.tar -o x@2 2>&1; echo "status $?"
head -c 10240 /dev/zero > zeros.tar; tfr shard zeros.tar -o x@2 2>&1; echo "status $?"
echo hello > text.tar; tfr shard text.tar -o x@2 2>&1; echo "status $?"
tfr shard gone.tar -o x@2 2>&1; echo "status $?"
tfr shard t.tar --from tar -o x@2 2>&1; echo "status $?"
ls -A | grep ^x
exit 0
