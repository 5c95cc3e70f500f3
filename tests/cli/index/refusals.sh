# What cannot have an index, and options that contradict each other.
exec 2>&1
cp "$DATA/members.tfrecord" a
tfr index; echo "status $?"
tfr index - < a; echo "status $?"
echo - > list; tfr index @list < a; echo "status $?"
mkfifo pipe; tfr index -q pipe; echo "status $?"
tfr index -q /dev/null; echo "status $?"
tfr index -q nowhere; echo "status $?"
tfr index --check -f a; echo "status $?"
ls -A
