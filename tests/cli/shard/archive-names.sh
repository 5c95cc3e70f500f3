# Names of members that are not ASCII, in every locale: class names and file names are UTF-8.
python3 - <<'END'
import io, os, struct, tarfile, zipfile, zlib
jpeg = open(os.environ['DATA'] + '/media/420.jpg', 'rb').read()
names = ['caf\u00e9/\u00fcber.jpg', '\u732b/\u4e00.jpg', 'plain/what?.jpg', '\U0001f408/x.jpg']
with zipfile.ZipFile('python.zip', 'w') as z:
    for name in names:
        z.writestr(name, jpeg)
for form, kind in (tarfile.PAX_FORMAT, 'pax'), (tarfile.GNU_FORMAT, 'gnu'):
    for mode, end in ('w', '.tar'), ('w:gz', '.tar.gz'):
        with tarfile.open(kind + end, mode, format=form, encoding='utf-8') as t:
            for name in names:
                info = tarfile.TarInfo(name)
                info.size = len(jpeg)
                t.addfile(info, io.BytesIO(jpeg))


def plain_zip(path, names, flags=0, extra=lambda name: b''):
    """A zip archive whose names are these bytes."""
    crc, body, directory = zlib.crc32(jpeg), b'', b''
    for name in names:
        more = extra(name)
        head = struct.pack('<HHHHHIIIHH', 20, flags, 0, 0, 33, crc, len(jpeg), len(jpeg), len(name), len(more))
        directory += (b'PK\1\2' + struct.pack('<H', 20) + head + struct.pack('<HHHII', 0, 0, 0, 0, len(body)) + name + more)
        body += b'PK\3\4' + head + name + more + jpeg
    with open(path, 'wb') as f:
        f.write(body + directory + b'PK\5\6' + struct.pack('<HHHHIIH', 0, 0, len(names), len(names), len(directory), len(body), 0))


plain_zip('dos.zip', ['Stra\u00dfe/\u00c4\u00e9\u2591.jpg'.encode('cp437'), b'plain/a.jpg'])
plain_zip('page.zip', [bytes(range(128, 256)) + b'.jpg'])
plain_zip('unmarked.zip', ['caf\u00e9/\u00fc.jpg'.encode(), b'plain/a.jpg'])
real = '\u732b/\u4e00.jpg'.encode()
plain_zip('field.zip', [b'#U732b/#U4e00.jpg'],
          extra=lambda name: struct.pack('<HHBI', 0x7075, 5 + len(real), 1, zlib.crc32(name)) + real)
END
for file in python.zip pax.tar pax.tar.gz gnu.tar gnu.tar.gz dos.zip unmarked.zip field.zip; do
	echo "$file"
	for locale in C C.UTF-8 POSIX; do
		LC_ALL=$locale tfr shard -f -o out.tfrecord $file 2>&1 | grep -v '^tfr shard: read'
		LC_ALL=$locale tfr show -q --json out.tfrecord | grep -o '"image/class/text[^]]*]\|"image/filename[^]]*]' | sort > got
		cat *labels.txt >> got
		if [ $locale = C ]; then mv got first; cat first; else cmp got first; fi
		rm -f *labels.txt out.*
	done
done
echo '== all of code page 437'
tfr shard -q -o page.tfrecord page.zip
tfr show -q --json page.tfrecord | python3 -c "import json, sys; print(json.load(sys.stdin)['image/filename'] == [bytes(range(128, 256)).decode('cp437') + '.jpg'])"
