# Images of one kind: those that are of it already keep their bytes; filters and qualities differ.
mkdir -p in && cp "$DATA"/images/jpeg/{420,444,cmyk,gray}.jpg "$DATA"/images/png/{rgb,rgba,gray-alpha,bits,deep}.png in
look() { tfr show -q "$1" | grep -E 'encoded|filename|image/format|channels' | sed 's/  *image/ image/; s/, [0-9.]* [KMb][^"]*$//' | paste -d ' ' - - - -; }
tfr shard --no-shuffle -q in -o jpeg.tfrecord --reencode jpeg; look jpeg.tfrecord
tfr shard --no-shuffle -q in -o png.tfrecord --reencode png; look png.tfrecord
tfr check -q --decode jpeg.tfrecord png.tfrecord; echo "decode: status $?"
echo "a JPEG that is one already"
tfr shard --no-shuffle -q in -o again.tfrecord
for f in jpeg.tfrecord again.tfrecord; do tfr cat -q --where '"image/filename" == "444.jpg"' "$f" | md5sum; done | uniq | wc -l
echo "smaller and of one kind"
tfr shard --no-shuffle -q in -o small.tfrecord --reencode png --resize 8; look small.tfrecord
echo "quality"
for q in 10 95 100; do tfr shard --no-shuffle -q -f in -o q.tfrecord --reencode jpeg --resize 20x20 --quality $q; wc -c < q.tfrecord; done | sort -nc && echo grows
