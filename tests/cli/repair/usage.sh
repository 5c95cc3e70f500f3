# Options that contradict each other, and outputs that are there.
exec 2>&1
cp "$DATA/members.tfrecord" a
tfr repair a; echo "status $?"
tfr repair --report -o b a; echo "status $?"
tfr repair --report --quarantine b a; echo "status $?"
tfr repair a -o b --quarantine -; echo "status $?"
tfr repair a -o b --quarantine b; echo "status $?"
tfr repair a -o a; echo "status $?"
tfr repair nowhere -o b; echo "status $?"
: > empty; tfr repair --report empty; echo "status $?"
ls -A
