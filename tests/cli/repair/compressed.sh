# What comes out of a damaged compressed stream is kept, and the rest is told of.
tfr repair "$DATA/kinds-gzip.tfrecord" "$DATA/kinds-zlib.tfrecord" -o both 2> err; echo "status $?"
sed 's/ in [0-9.]* s//' err
head -c -6 "$DATA/kinds-gzip.tfrecord" > trailer
tfr repair trailer -o a 2> err; echo "status $?"
sed 's/ in [0-9.]* s//; s/[a-z ]*compressed stream[^;]*;/REASON;/' err
cmp a "$DATA/kinds.tfrecord" && echo same
tfr repair -q -o b trailer -z gzip -9 2> /dev/null; tfr check -q b && tfr count b; head -c 2 b | od -An -tx1
python3 - <<'P'
import gzip, records
items = [records.frame(bytes([65 + n]) * 50) for n in range(8)]
items[3] = items[3][:20] + b'X' + items[3][21:]
open('inside.gz', 'wb').write(gzip.compress(b''.join(items), mtime=0))
open('tail.gz', 'wb').write(gzip.compress(items[0] + items[1], mtime=0) + b'not a member')
P
tfr repair --dry-run inside.gz tail.gz > out 2> err; echo "status $?"; sed 's/bytes: [a-z ]*compressed stream[^;]*;/bytes: REASON;/' out; cat err
