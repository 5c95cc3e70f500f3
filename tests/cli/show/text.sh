# For a person.
cd "$DATA" && tfr show -q kinds.tfrecord sequence.tfrecord && tfr show -q -n 4 payloads.tfrecord
tfr show -q images.tfrecord
