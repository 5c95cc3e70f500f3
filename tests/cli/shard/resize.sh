# Images made smaller on their way: the shorter side, both sides, what is small already keeps its bytes.
mkdir -p in && cp "$DATA"/images/jpeg/{420,gray,progressive,exif-6}.jpg "$DATA"/images/png/{rgb,rgba,palette}.png in
look() { tfr show -q "$1" | grep -E 'encoded|filename|format|height|width|channels' | sed 's/  *image/ image/; s/, [0-9.]* [KMb][^"]*$//'; }
tfr shard --no-shuffle -q in -o shorter.tfrecord --resize 16; echo "status $?"; look shorter.tfrecord
echo exact
tfr shard --no-shuffle -q in -o exact.tfrecord --resize 20x48 --filter lanczos; look exact.tfrecord | grep -E 'encoded|width|height' | sort | uniq -c
echo "nothing is enlarged, and nothing else touched"
tfr shard --no-shuffle -q in -o same.tfrecord --resize 100
tfr shard --no-shuffle -q in -o plain.tfrecord
cmp same.tfrecord plain.tfrecord && echo same
tfr shard --no-shuffle -q in -o large.tfrecord --resize 100 --enlarge; look large.tfrecord | grep encoded
echo "any number of threads, the same bytes"
for j in 1 3 8; do tfr shard --no-shuffle -q -f -j $j in -o j.tfrecord --resize 16 --filter cubic --quality 60; md5sum < j.tfrecord; done | uniq | wc -l
