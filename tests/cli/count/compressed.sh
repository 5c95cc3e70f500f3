# All odd forms of gzip and zlib: every one that is whole has its 20 records, none that is damaged is passed.
for f in "$DATA"/compressed/*; do
  out=$(tfr count -q "$f" 2> err); status=$?
  echo "$(basename "$f" .tfrecord): status $status $out $(sed "s|$DATA/||; s| '[^']*'||; s|: incorrect [a-z]* check||" err | head -n 1)"
done
