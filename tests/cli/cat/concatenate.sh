# Plain files concatenate as bytes do, whatever they were compressed by.
cat "$DATA/members.tfrecord" "$DATA/kinds.tfrecord" "$DATA/payloads.tfrecord" > want
tfr cat -q "$DATA/members.tfrecord" "$DATA/kinds-zlib.tfrecord" "$DATA/payloads.tfrecord" | cmp - want
tfr cat -q "$DATA/compressed/gzip-members.tfrecord" - "$DATA/payloads.tfrecord" < "$DATA/kinds-gzip.tfrecord" | cmp - want
tfr cat -q "$DATA/members.tfrecord" "$DATA/kinds.tfrecord" "$DATA/payloads.tfrecord" -o out && cmp out want
tfr cat "$DATA/kinds.tfrecord" 2>&1 > /dev/null | sed 's/in [0-9.]* s/in N s/'
