# Every line is where the framing has a record, whatever the compression; an oracle of its own says where.
for f in kinds members payloads images sequence wire; do
  cp "$DATA/$f.tfrecord" .
  tfr index -q $f.tfrecord; echo "$f: status $?"
  python3 "$DATA/records.py" list $f.tfrecord | cut -d ' ' -f 1,2 | cmp - $f.tfrecord.idx
done
cp "$DATA"/kinds-*.tfrecord "$DATA"/empty*.tfrecord .
tfr index -q kinds-gzip.tfrecord kinds-zlib.tfrecord; echo "status $?"
cmp kinds.tfrecord.idx kinds-gzip.tfrecord.idx
cmp kinds.tfrecord.idx kinds-zlib.tfrecord.idx
tfr index empty.tfrecord empty-gzip.tfrecord 2> err; echo "status $?"; head -n 2 err
wc -c < empty.tfrecord.idx
ls -A | grep tmp || true
