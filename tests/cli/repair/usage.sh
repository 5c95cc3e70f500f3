# Options that contradict each other, and outputs that are there.
exec 2>&1
cp "$DATA/members.tfrecord" a
tfr repair a; echo "status $?"
tfr repair --dry-run -o b a; echo "status $?"
tfr repair --dry-run --on-error quarantine=b a; echo "status $?"
tfr repair a -o b --on-error quarantine=-; echo "status $?"
tfr repair a -o b --on-error quarantine=b; echo "status $?"
tfr repair a -o a; echo "status $?"
tfr repair nowhere -o b; echo "status $?"
: > empty; tfr repair --dry-run empty; echo "status $?"
ls -A
echo "old names:"; tfr repair --report empty; echo "status $?"; tfr repair --report --mend empty; echo "status $?"; tfr repair empty -o b --quarantine c; echo "status $?"
