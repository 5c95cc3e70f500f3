# One number, whatever the compression.
for f in kinds kinds-gzip kinds-zlib empty empty-gzip empty-zlib payloads wire; do
  echo "$f $(tfr count -q "$DATA/$f.tfrecord")"
done
tfr count -q "$DATA"/events*
