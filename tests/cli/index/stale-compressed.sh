# The end of a compressed file is that of its uncompressed stream.
cp "$DATA/kinds-gzip.tfrecord" a
tfr index -q a
tfr index --check -q a; echo "status $?"
head -n -1 a.idx > b; cat b > a.idx
tfr index --check -q a; echo "status $?"
tfr index -q a; tfr index --check -q a; echo "status $?"
head -c 100 "$DATA/kinds-gzip.tfrecord" > a; touch a.idx
tfr index --check -q a; echo "status $?"
