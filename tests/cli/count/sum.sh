# The content sum does not depend on order, compression or how records are dealt to files.
tfr count --sum "$DATA/kinds.tfrecord"
tfr count --sum "$DATA/kinds-gzip.tfrecord"
cat "$DATA/members.tfrecord" "$DATA/payloads.tfrecord" > a
cat "$DATA/payloads.tfrecord" "$DATA/members.tfrecord" > b
tfr count --sum a b
tfr count --sum a
tfr count --sum b
tfr count --sum -j 1 a < /dev/null
tfr count --sum "$DATA/empty.tfrecord" -q
