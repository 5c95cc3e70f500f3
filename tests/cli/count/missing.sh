# A file, a glob with no match, a member of a set, a folder without records.
tfr count nowhere.tfrecord; echo "status $?"
tfr count 'nothing-*'; echo "status $?"
cp "$DATA/members.tfrecord" train-00000-of-00002.tfrecord
tfr count train@2.tfrecord; echo "status $?"
tfr count --allow-missing train@2.tfrecord; echo "status $?"
tfr count 'other@*'; echo "status $?"
tfr count @absent.txt; echo "status $?"
tfr count train-00000-of-00002.tfrecord nowhere; echo "status $?"
tfr count nothing@9.tfrecord; echo "no member of a set at all: $?"
printf 'train-00000-of-00002.tfrecord\0x\n' >list.txt
tfr count @list.txt; echo "a NUL byte in a list: $?"
