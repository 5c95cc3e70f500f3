# A folder of images becomes a whole set: shards, manifest, labels.
mkdir -p photos/cat photos/dog/puppies
cp "$DATA/media/420.jpg" photos/cat/1.jpg
cp "$DATA/media/bit.png" photos/cat/2.png
cp "$DATA/media/gray.jpg" photos/dog/1.jpg
cp "$DATA/media/420.jpg" photos/dog/puppies/2.jpg
echo text > photos/dog/notes.txt
tfr shard --no-shuffle photos -o out/train@2.tfrecord 2>&1; echo "status $?, no folder out"
mkdir out
tfr shard --no-shuffle photos -o out/train@2.tfrecord 2> err; echo "status $?"
sed 's/in [0-9][0-9.]* s,/in N s,/' err
ls out; cat out/train.2-tfrecord.labels.txt
tfr count --per-file 'out/train@2.tfrecord'
tfr check --example --decode -q 'out/train@2.tfrecord'; echo "check $?"
tfr show --json 'out/train@2.tfrecord' | grep -o '"image/filename": \["[^"]*"\]'
tfr shard --no-shuffle photos -o out/train@2.tfrecord 2>&1; echo "status $?"
tfr shard --no-shuffle -q -f photos -o out/train@2.tfrecord 2>&1; echo "status $?"
