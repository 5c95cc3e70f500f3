# What would be written, and nothing is.
mkdir in out && ln -s "$DATA/images/jpeg" "$DATA/images/png" in
tfr shard --no-shuffle in --dry-run -o out/t@4.tfrecord
tfr shard --no-shuffle in --dry-run -o out/t@auto.tfrecord --records-per-shard 6 | cut -f 1,2
tfr shard --no-shuffle in --dry-run -o out/t@2.tfrecord -o out/v@auto.tfrecord=0.3 -o out/w.tfrecord=0.1 | cut -f 1,2
tfr shard in --dry-run --json -o out/t@2.tfrecord --shuffle
ls -A out
# It comes near: each shard within a tenth of what it then is.
tfr shard --no-shuffle in --dry-run -o out/t@2.tfrecord > plan
tfr shard --no-shuffle in -q -o out/t@2.tfrecord
while read -r file records bytes; do
  real=$(stat -c %s "$file")
  [ $((bytes * 10)) -gt $((real * 9)) ] && [ $((bytes * 10)) -lt $((real * 11)) ] || echo "$file: $bytes for $real"
  [ "$(tfr count "$file")" = "$records" ] || echo "$file: not $records records"
done < plan
tfr shard --no-shuffle in --json -f -o out/t@2.tfrecord | sed 's/"seconds": [0-9.]*/"seconds": S/'
tfr shard --no-shuffle in --dry-run -o 'out/t@*.tfrecord'; echo "status $?"
tfr shard --no-shuffle in --dry-run -o out/t.tfrecord --shard-size 5M; echo "status $?"
