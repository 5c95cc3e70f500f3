# A folder without images is bad data; one that is not there, the system's failure; nothing is left.
mkdir -p empty texts/a
echo hello > texts/a/notes.txt
tfr shard empty -o t@2.tfrecord; echo "status $?"
tfr shard texts -o t@2.tfrecord; echo "status $?"
tfr shard nowhere -o t@2.tfrecord; echo "status $?"
tfr shard empty; echo "status $?"
tfr shard -o t@2.tfrecord; echo "status $?"
ls -A
