# --example: protobuf's answer to each row of the merge rules (wire.expected says error for these).
cd "$DATA"
tfr check -q --example wire.tfrecord; echo "status $?"
grep -n 'error$' wire.expected
tfr check -q --example kinds.tfrecord sequence.tfrecord; echo "status $?"
tfr check -q --example payloads.tfrecord | wc -l
