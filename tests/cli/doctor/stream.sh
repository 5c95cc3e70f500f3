# A damaged compressed stream may yield bytes that look like a damaged header: doctor names the cause that check names.
cp "$DATA/kinds-gzip.tfrecord" a.tfrecord
printf '\366' | dd of=a.tfrecord bs=1 seek=329 conv=notrunc status=none
tfr check -q a.tfrecord 2>&1
tfr doctor -q a.tfrecord 2>&1 | sed -n 1,3p
