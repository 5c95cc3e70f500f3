# The WAV files of an archive give the records that they would give as the files of a folder.
mkdir -p in/one in/two
cp "$DATA"/audio/{u8,s16}.wav in/one; cp "$DATA"/audio/s24.wav in/two; echo no > in/one/a.txt; cp "$DATA/media/420.jpg" in/two/p.jpg
head -c 50 "$DATA/audio/s16.wav" > in/two/cut.wav
( cd in && find . -type f | LC_ALL=C sort | tar --no-recursion -cf ../t.tar -T - )
tfr shard --no-shuffle in -q -o folder@2.tfrecord; echo "status $?"; mv folder.2-tfrecord.labels.txt folder.txt
tfr shard t.tar -o tar@2.tfrecord 2> err; echo "status $?"; sed 's/in [0-9.]* s/in N s/' err; cmp tar.2-tfrecord.labels.txt folder.txt
for k in 0 1; do cmp folder-0000$k-of-00002.tfrecord tar-0000$k-of-00002.tfrecord; done
same() { tfr shard in -q -f "$@" -o folder.tfrecord && tfr shard t.tar -q -f "$@" -o tar.tfrecord && cmp folder.tfrecord tar.tfrecord; echo "$*: $?"; }
same --shuffle --seed 4; same --no-shuffle --label-base 1
same --no-shuffle --audio floats; same --no-shuffle --frame 0.001 -j 3
if ! tfr version | grep -q 'no libarchive'; then
  gzip -k t.tar; python3 -c 'import os, zipfile
with zipfile.ZipFile("t.zip", "w", zipfile.ZIP_DEFLATED) as z:
    for path in sorted(os.path.join(folder, file) for folder, _, files in os.walk("in") for file in files): z.write(path, path[3:])'
  for name in t.tar.gz t.zip; do tfr shard $name -q -f -o x@2.tfrecord; for k in 0 1; do cmp folder-0000$k-of-00002.tfrecord x-0000$k-of-00002.tfrecord; done; done
fi
echo "a pipe, which says of what it is with its first file that is either"
mkdir flat && cp in/one/* flat && cp in/two/p.jpg flat/z.jpg && tar -C flat --sort=name -cf flat.tar .
tfr shard --from archive - -o pipe.tfrecord < flat.tar 2>&1 | sed 's/in [0-9.]* s/in N s/'; tfr shard --no-shuffle flat -q -o flat.tfrecord -f; cmp flat.tfrecord pipe.tfrecord
echo "refused"
tar -C in/two -cf images.tar p.jpg
refused() { tfr shard -q -f "$@" -o x.tfrecord 2>&1; echo "status $?"; }
refused t.tar --sha256; refused t.tar --verify-images; refused t.tar --resize 16
refused images.tar --audio floats; refused images.tar --frame 1; refused --from archive --sha256 - < flat.tar
refused t.tar --on-error fail
tar -C flat -cf texts.tar a.txt; refused texts.tar
cat flat/u8.wav | head -c 20 > flat/u8.wav.part; mv flat/u8.wav.part flat/u8.wav; tar -C flat -cf broken.tar u8.wav; refused broken.tar
ls -A | grep -F .tmp
exit 0
