# More shards than open files allowed: the same bytes, plain and compressed; nothing stays after a signal.
mkdir in a b c && ln -s "$DATA/images/jpeg" "$DATA/images/png" in
for i in $(seq 20); do ln -s png in/more$i; done
tfr shard in -q -o a/t@120.tfrecord
( ulimit -n 90; tfr shard in -q -o b/t@120.tfrecord )
rm ?/t.*.manifest.json
diff a b && ls b | wc -l
( ulimit -n 90; tfr shard in -q -o c/z@120.tfrecord.gz && tfr count --sum c/z@120.tfrecord.gz )
tfr count --sum a/t@120.tfrecord
( ulimit -n 90; tfr cat -q a/t@120.tfrecord -o b/u@200.tfrecord; tfr count --sum b/u@200.tfrecord )
