# Not overwritten without -f; another N beside it is refused; the labels file of the set must agree.
mkdir in && ln -s "$DATA/images/jpeg" "$DATA/images/png" in
tfr shard in -q -o t@2.tfrecord; echo "status $?"
tfr shard in -q -o t@2.tfrecord; echo "status $?"
tfr shard in -q -f -o t@2.tfrecord; echo "status $?"
tfr shard in -q -o t@3.tfrecord; echo "status $?"
tfr shard in -f -o t@3.tfrecord 2>&1 | grep -v read.15; echo "status $?"
mkdir other && ln -s "$DATA/images/png" other
tfr shard other -q -o u@1.tfrecord; echo "status $?"
tfr shard in -q -o train.tfrecord; echo "status $?"
tfr shard in -q -o nowhere/t@2.tfrecord; echo "status $?"
tfr shard in -q -o g@2.tfrecord.gz && gzip -t g-*.gz && tfr count g@2.tfrecord.gz
ls -A
