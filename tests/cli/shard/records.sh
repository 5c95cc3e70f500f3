# Records into other shards: order, content sum, any number of files, compressed or not, from a pipe; damage.
mkdir in a b c d e f
for i in 0 1 2 3 4 5 6 7 8 9; do echo "record $i"; done | tfr cat -q --from lines -o in/one.tfrecord
tfr shard --from records in/one.tfrecord -o a/t@3.tfrecord 2>&1 | sed 's/ in .* s,/ in T s,/'
tfr cat -q --raw a/t-00001-of-00003.tfrecord; echo
tfr count --sum in/one.tfrecord
# Taken for records without being told: a file, a set, a pattern, GZIP; several of them.
tfr shard -q in/one.tfrecord -o b/t@2.tfrecord.gz
tfr shard -q 'b/t@2.tfrecord.gz' -o b/u@5
tfr shard -q 'b/u-*' -o b/v.tfrecord
tfr shard -q b/t-00000-of-00002.tfrecord.gz b/t-00001-of-00002.tfrecord.gz b/v.tfrecord -o b/w@7
for s in b/t@2.tfrecord.gz b/u@5 b/v.tfrecord b/w@7; do tfr count --sum $s; done
tfr check -q --manifest b/w@7 && echo whole
# From a pipe, to a pipe, and a FIFO.
tfr cat -q in/one.tfrecord | tfr shard -q --from records - -o - | cmp - in/one.tfrecord && echo same
mkfifo pipe; tfr cat -q in/one.tfrecord in/one.tfrecord > pipe & tfr shard -q --from records pipe -o c/t@auto.tfrecord --records-per-shard 6; wait
tfr count --per-file c/t@*.tfrecord
tfr shard -q < in/one.tfrecord --from records -o c/u@2; tfr count c/u@2
# Members that are missing.
rm b/u-00003-of-00005
tfr shard -q b/u@5 -o d/t@2; echo "status $?"
tfr shard -q --allow-missing b/u@5 -o d/t@2; echo "status $?"; tfr count d/t@2
# Damage ends it, or takes up a place.
python3 - << 'X'
d = bytearray(open('in/one.tfrecord', 'rb').read())
d[2 * 24 + 13] ^= 1   # payload of record 2
d[5 * 24 + 3] ^= 1    # length of record 5
open('in/bad.tfrecord', 'wb').write(d)
X
tfr shard -q in/bad.tfrecord -o e/t@2; echo "status $?"; ls -A e
tfr shard --on-error skip in/bad.tfrecord -o e/t@2 2>&1 | sed 's/ in .* s,/ in T s,/'
for n in 0 1; do tfr cat -q --raw e/t-0000$n-of-00002; echo; done
head -c 100 in/one.tfrecord | gzip -c | head -c 40 > in/cut.gz
tfr shard -q --on-error skip in/cut.gz in/one.tfrecord -o e/u@2; echo "status $?"
# What means nothing to records.
tfr shard -q --shuffle in/one.tfrecord -o f/t@2; echo "status $?"
tfr shard -q --verify-images in/one.tfrecord -o f/t@2; echo "status $?"
tfr shard -q --on-error quarantine=q in/one.tfrecord -o f/t@2; echo "status $?"
tfr shard -q in/one.tfrecord -o f/t@2=0.5 -o f/u@2; echo "status $?"
tfr shard -q --allow-missing "$DATA/images" -o f/t@2; echo "status $?"
tfr shard -q --from nothing "$DATA/images" -o f/t@2; echo "status $?"
cp "$DATA/README.md" text; tfr shard -q text -o f/t@2; echo "status $?"
tfr shard -q --from records text -o f/t@2; echo "status $?"
tfr shard -q - -o f/t@2 < /dev/null; echo "status $?"
tfr shard -q --from records - -o f/t@2 < /dev/null; echo "status $?"
ls -A f
