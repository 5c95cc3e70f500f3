# Every truncation of a file, and every short tail after it, is a fault; TensorFlow passes a tail of 1 to 11 bytes.
python3 "$DATA/records.py" write alpha '' gamma > whole
size=$(stat -c %s whole)
ends=" $(python3 "$DATA/records.py" list whole | awk '{ print $1 + $2 }' | paste -sd ' ') 0 "
for ((n = 0; n <= size; n++)); do
  head -c $n whole > cut
  tfr count -q cut > /dev/null 2>&1; file=$?
  tfr count -q - < cut > /dev/null 2>&1; pipe=$?
  case "$ends" in *" $n "*) want=0 ;; *) want=1 ;; esac
  [ $file = $want ] && [ $pipe = $want ] || echo "cut at $n of $size: file $file, pipe $pipe"
done
for ((n = 1; n <= 20; n++)); do
  { cat whole; head -c $n /dev/zero; } > tail
  tfr count -q tail > /dev/null 2>&1; echo "tail of $n: $?"
done
