# Files, a directory, a glob, a list, a spec, stdin: the same records.
cp "$DATA/members.tfrecord" train-00000-of-00002.tfrecord
cp "$DATA/payloads.tfrecord" train-00001-of-00002.tfrecord
echo notes > notes.txt
cp "$DATA/kinds.tfrecord" .hidden.tfrecord
mkdir empty && cp "$DATA/wire.tfrecord" 'odd name.bin'
tfr count train-00000-of-00002.tfrecord train-00001-of-00002.tfrecord
tfr count 'train-*'
tfr count train@2.tfrecord
tfr count 'train@*.tfrecord'
printf '%s\n' train-00000-of-00002.tfrecord train-00001-of-00002.tfrecord > list.txt
tfr count @list.txt
tfr count - < train-00000-of-00002.tfrecord
tfr count < train-00000-of-00002.tfrecord
cat train-0000* | tfr count
tfr count --per-file .
tfr count --per-file train@2.tfrecord -
