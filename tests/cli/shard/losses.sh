# Most of the input lost is an error, with no output and few warnings; other files of a folder are no losses.
exec 2>&1
python3 - <<'P'
import os, shutil
data = os.environ['DATA']
good = open(data + '/media/420.jpg', 'rb').read()
def folder(name, files):
    for path, content in files.items():
        os.makedirs(os.path.dirname(name + '/' + path), exist_ok=True)
        open(name + '/' + path, 'wb').write(content)
heic = b'\0\0\0\x18ftypheic' + bytes(100)
folder('lost', {'a/1.jpg': good, **{'a/%02d.heic' % i: heic for i in range(50)}})
folder('half', {'a/1.jpg': good, 'a/2.jpg': good, 'a/3.heic': heic, 'a/4.jpg': good[:-9]})
folder('strays', {'a/1.jpg': good, **{'a/%d.%s' % (i, e): b'text' for i in range(9) for e in ('txt', 'json', 'xml')}, 'a/Thumbs.db': bytes(9), 'a/README': b'read me'})
folder('early', {'%06d/x.jpg' % i: heic if i % 5 < 3 else good for i in range(2000)})
open('rows.csv', 'w').write('x,y\n' + ''.join('1,2\n' if i % 3 == 0 else '1,2,3\n' for i in range(90)))
P
# the order of a folder is another matter
plain() { sed "s/, read .*//; s/skipped '[^']*'/skipped NAME/; s/the first '[^']*'/the first NAME/; s/NAME: a .*/NAME: WHY/; s/such as .*/such as NAMES/; /^hint/d"; }
run() { rm -f o* *labels*; tfr shard "$@" 2> err; echo "status $?"; plain < err; ls | grep -c '^o.tfrecord' ; }
echo "lost:"; run lost -o o.tfrecord
echo "forced:"; run lost --max-skipped 99 -o o.tfrecord; rm -f o* *labels*
echo "listed:"; tfr shard -q lost --max-skipped 100 --on-error quarantine=bad.tsv -o o.tfrecord; wc -l < bad.tsv; rm -f o* *labels* bad.tsv
tfr shard -q lost --on-error quarantine=bad.tsv -o o.tfrecord 2>&1 | plain; echo "status ${PIPESTATUS[0]}"; ls | grep -cE '^o.tfrecord|^bad'
echo "just half:"; run -q half -o o.tfrecord; rm -f o* *labels*; run -q half --max-skipped 49.9 -o o.tfrecord; run -q half --max-skipped 0 -o o.tfrecord
echo "strays:"; run -q strays --ignore-annotations -o o.tfrecord; rm -f o* *labels*
echo "an archive:"; tar cf lost.tar lost; run -q lost.tar -o o.tfrecord; rm -f o* *labels*
echo "audio, in a folder and in an archive:"; mkdir -p w/a; for i in 1 2 3; do cp "$DATA/audio/f32.wav" w/a/$i.wav; echo x > w/a/n$i.md; echo x > w/a/m$i.rtf; cp "$DATA/pairs/images/gray8.jpg" w/a/z$i.jpg; done; tar cf w.tar w; for i in w w.tar; do run -q $i -o o.tfrecord; rm -f o* *labels*; done
echo "early:"; rm -f *labels*; for j in 1 3; do tfr shard -j $j early -o o.tfrecord 2>&1 | md5sum; done | uniq | wc -l; tfr shard early -o o.tfrecord 2>&1 | tail -n 2 | plain | sed 's/^tfr shard: [0-9]*/tfr shard: N/'
echo "rows:"; run -q rows.csv -o o.tfrecord; tfr shard -q --max-skipped 70 rows.csv -o o.tfrecord; tfr count o.tfrecord; rm -f o* *labels*
echo "going on:"; tfr shard -q --resume lost -o o.tfrecord 2>&1 | plain; echo "status ${PIPESTATUS[0]}"; tfr shard -q --resume --max-skipped 100 lost -o o.tfrecord; echo "status $?"; tfr count o.tfrecord
echo "usage:"; tfr shard --max-skipped 101 lost -o p.tfrecord; echo "status $?"
