# What is odd about images: counted on stderr, listed in the order of the items, the same for any number of threads.
mkdir -p in/a in/b && cp "$DATA"/images/broken/* "$DATA"/images/jpeg/* in/a && cp "$DATA"/images/png/* in/b && echo text > in/b/notes.txt
cp "$DATA/media/turn-6.png" in/b && cp "$DATA/media/gray.jpg" in/a/0.JPG && ln -s .. in/b/up
python3 - <<'P'
import struct, zlib
def chunk(t, d): return struct.pack('>I', len(d)) + t + d + struct.pack('>I', zlib.crc32(t + d))
def png(w, h, rows): return b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', w, h, 8, 2, 0, 0, 0)) + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b'')
open('in/b/pixel.png', 'wb').write(png(1, 1, bytes(4)))
open('in/b/huge.png', 'wb').write(png(10000, 5001, b''))
open(b'in/b/odd\tna\nme\xff.png', 'wb').write(png(9, 8, bytes(28 * 8)))
P
tfr shard --no-shuffle in -o t@2.tfrecord --report r.tsv 2>&1 | grep -v skipped
cat -A r.tsv | sed 's/\^I/ | /g; s/\$$//'
for j in 1 7; do tfr shard --no-shuffle -q -f in -j $j -o u@2.tfrecord --report s.tsv; sed 's/u@2/t@2/' s.tsv | cmp - r.tsv && echo same; done
echo "JSON"
tfr shard --no-shuffle -q in -o v@2.tfrecord=0.5 -o w@3.tfrecord=0.5 --report r.json; python3 -c '
import json
r = json.load(open("r.json"))
print(r["version"], r["counts"], len(r["findings"]))
for f in r["findings"][:2] + r["findings"][-2:]: print(f)'
echo "the record is where the report says"
tfr shard --no-shuffle -q -f in -o t@2.tfrecord --report r.tsv
grep -P '\t(palette|cmyk)\t' r.tsv | while IFS=$'\t' read -r path code detail set shard record; do
  tfr cat -q --records "$record" "t-0000$shard-of-00002.tfrecord" | tfr show -q --json - | grep -o '"image/filename": \[[^]]*\]'
done
echo "what is mended is not told of"
tfr shard --no-shuffle in -o x.tfrecord --orient --rgb8 2>&1 | grep -E 'EXIF|CMYK|16-bit'
echo "all of them gray: nothing is odd about that"
mkdir gray && cp "$DATA"/media/gray.jpg "$DATA"/media/bit.png gray
tfr shard --no-shuffle gray -o gray.tfrecord --report gray.tsv 2>&1 | grep -c gray,; cat gray.tsv
tfr shard --no-shuffle -q gray -o gray2.tfrecord --report gray.json; cat gray.json
echo "not overwritten, and absent where the command fails"
tfr shard --no-shuffle -q gray -o gray3.tfrecord --report gray.tsv; echo "status $?"
tfr shard --no-shuffle -q in -o y.tfrecord --report y.tsv --on-error fail; echo "status $?"; ls y* 2> /dev/null
