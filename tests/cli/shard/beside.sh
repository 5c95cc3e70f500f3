# Each set has a manifest and a labels file of its own, whatever lies beside it; the names of 0.1.0 are read.
mkdir in && ln -s "$DATA/images/jpeg" "$DATA/images/png" in
tfr shard -q in -o train@3.tfrecord; tfr cat -q train@3.tfrecord -o train@2.tfrecord.gz; tfr cat -q train@3.tfrecord -o train@2
for set in train@3.tfrecord train@2.tfrecord.gz train@2; do tfr check -q --manifest $set; echo "$set: $?"; done
mkdir fewer && ln -s "$DATA/images/png" fewer; cp -r "$DATA/audio" sounds
tfr shard -q fewer -o val.tfrecord; tfr shard -q fewer -o test@auto.tfrecord --shard-size 2K; tfr shard -q --from audio sounds -o sounds@2 2> /dev/null
tfr shard -q fewer -o - > /dev/null; ls
echo "a name of 0.1.0"
mv train.3-tfrecord.manifest.json train.manifest.json
for set in train@3.tfrecord train@2.tfrecord.gz; do tfr check -q --manifest $set; echo "$set: $?"; done
rm train.2-tfrecord-gz.manifest.json; tfr check -q --manifest train@2.tfrecord.gz; echo "of another set: $?"
tfr count --manifest train@3.tfrecord; tfr doctor -q train@3.tfrecord; echo "doctor $?"
tfr cat -q -f val.tfrecord -o train@2.tfrecord.gz; tfr check -q --manifest train@3.tfrecord; echo "untouched: $?"
tfr cat -q -f val.tfrecord -o train@3.tfrecord; ls train.*; tfr check -q --manifest train@3.tfrecord; echo "replaced: $?"
echo "sets that one pattern reads"
tfr split -q val.tfrecord -o x@2=0.5 -o x@3; echo "status $?"
tfr split -q val.tfrecord -o x@2.tfrecord=0.5 -o x@2.tfrecord.gz; echo "status $?"; tfr check -q --manifest x@2.tfrecord x@2.tfrecord.gz && echo whole
