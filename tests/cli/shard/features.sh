# A class a sub-folder; item k to shard k mod N; labels, manifest, and nothing else.
mkdir in && ln -s "$DATA/images/jpeg" "$DATA/images/png" in
tfr shard --no-shuffle in -o train@3.tfrecord 2> err; echo "status $?"
sed 's/in [0-9.]* s/in N s/' err
ls -A; cat train.3-tfrecord.labels.txt
for n in 0 1 2; do tfr show -q --json train-0000$n-of-00003.tfrecord | sed 's/"image.encoded": [^]]*], //'; done
tfr check -q --decode train@3.tfrecord; echo "status $?"
