# Silent where all is whole, whatever the compression; the closing line is on stderr.
tfr check "$DATA"/*.tfrecord "$DATA"/events* 2> err; echo "status $?"
tail -n 1 err | sed 's/[0-9.]* s)/N s)/'
tfr check -q "$DATA/kinds.tfrecord" 2>&1; echo "status $?"
tfr check < "$DATA/kinds-gzip.tfrecord" 2> /dev/null; echo "status $?"
