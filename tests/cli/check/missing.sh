tfr check nowhere; echo "status $?"
mkdir folder; tfr check folder; echo "status $?"
cp "$DATA/members.tfrecord" a-00000-of-00002
tfr check a@2; echo "status $?"
head -c 50 "$DATA/members.tfrecord" > a-00001-of-00002
tfr check -q a@2 nowhere; echo "status $?"
