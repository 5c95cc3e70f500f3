# A path of many folders in an archive needs no stack for each of them.
cat > make.py <<'P'
import io, os, tarfile
png = open(os.environ['DATA'] + '/images/png/rgb.png', 'rb').read()
with tarfile.open('deep.tar', 'w', format=tarfile.PAX_FORMAT) as t:
    for name in ('a/' * 6000 + '1.png', 'b/2.png'):
        info = tarfile.TarInfo(name)
        info.size = len(png)
        t.addfile(info, io.BytesIO(png))
P
python3 make.py
([ -n "${SANITIZED-}" ] || ulimit -s 256; tfr shard -q --no-shuffle deep.tar -o t.tfrecord; echo "status $?")
tfr count --by image/class/text t.tfrecord
