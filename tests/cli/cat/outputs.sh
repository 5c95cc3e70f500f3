# Not overwritten without -f, never half there, a set round-robin.
tfr cat -q "$DATA/members.tfrecord" -o out
tfr cat -q "$DATA/payloads.tfrecord" -o out; echo "status $?"; cmp out "$DATA/members.tfrecord"
tfr cat -q "$DATA/payloads.tfrecord" -f -o out; echo "status $?"; cmp out "$DATA/payloads.tfrecord"
head -c 100 "$DATA/members.tfrecord" > cut
tfr cat -q cut -o new 2> err; echo "status $?"; cat err
tfr cat -q cut -f -o out 2> err; echo "status $?"; cmp out "$DATA/payloads.tfrecord"
tfr cat -q "$DATA/members.tfrecord" -o nowhere/new 2> err; echo "status $?"; cat err
# A file system where not even root creates a file.
tfr cat -q "$DATA/members.tfrecord" -o /sys/new 2> err; echo "status $?"
sed 's/Permission denied$/Read-only file system/' err
tfr cat -q "$DATA/members.tfrecord" -o set@3.tfrecord; echo "status $?"
for n in 0 1 2; do tfr cat -q set-0000$n-of-00003.tfrecord --raw | head -c 20; echo; done
[ "$(tfr count --sum set@3.tfrecord)" = "$(tfr count --sum "$DATA/members.tfrecord")" ] || echo other records
ls -A
