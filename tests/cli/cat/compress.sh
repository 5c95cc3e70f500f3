# -z and the levels; a name ending in .gz implies gzip; what comes out is the same records.
sum=$(tfr count --sum "$DATA/payloads.tfrecord")
for z in none gzip zlib; do
  for level in '' -1 -2 -3 -4 -5 -6 -7 -8 -9; do
    tfr cat -q "$DATA/payloads.tfrecord" -z $z $level -o $z$level || echo "$z $level: status $?"
    [ "$(tfr count --sum $z$level)" = "$sum" ] || echo "$z $level: other records"
  done
done
gzip -dc gzip-6 | cmp - "$DATA/payloads.tfrecord"
python3 -c 'import sys, zlib; sys.stdout.buffer.write(zlib.decompress(open("zlib-9", "rb").read()))' |
  cmp - "$DATA/payloads.tfrecord"
cmp none "$DATA/payloads.tfrecord"
tfr cat -q "$DATA/payloads.tfrecord" -o x.tfrecord.gz && gzip -t x.tfrecord.gz
tfr cat -q "$DATA/payloads.tfrecord" -z lzma -o y; echo "status $?"
ls
