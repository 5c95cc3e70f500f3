# stdout that cannot be written is status 3, not silence.
tfr count "$DATA/members.tfrecord" > /dev/full; echo "status $?"
