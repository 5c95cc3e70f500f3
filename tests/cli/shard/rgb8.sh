# CMYK and 16 bits become RGB of 8 bits; all else keeps its bytes.
mkdir in && cp "$DATA"/images/jpeg/{420,cmyk,gray}.jpg "$DATA"/images/png/{deep,rgb,palette,bits}.png "$DATA"/media/{gray16,rgb16}.png in
look() { tfr show -q "$1" | grep -E 'encoded|filename|channels' | sed 's/  *image/ image/; s/, [0-9.]* [KMb][^"]*$//' | paste -d ' ' - - -; }
tfr shard --no-shuffle -q in -o a.tfrecord --rgb8; look a.tfrecord
tfr shard --no-shuffle -q in -o b.tfrecord; look b.tfrecord
