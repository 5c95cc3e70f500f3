# Shards that fill one after another, by size and by number; the same bytes for any -j and -m; names when all is known.
mkdir in && ln -s "$DATA/images/jpeg" "$DATA/images/png" in
mkdir a b c d e f g
tfr shard in -q -o a/t@auto.tfrecord --shard-size 6K -j 1
tfr shard in -q -o b/t@auto.tfrecord --shard-size 6K -j 7 -m 1M
diff -x '*.manifest.json' a b && ls a
find a -name '*.tfrecord' -size +6144c | wc -l
tfr check -q a/t@*.tfrecord --manifest && echo whole
tfr shard in -q -o c/t@auto --records-per-shard 4
tfr count --per-file c/t@*
tfr shard in -q -o d/t@auto.tfrecord --records-per-shard 4 --shard-size 6K
for f in d/t-*; do tfr count $f; done | sort -n | tail -1
# Without a size there is one for 128 MiB of files; each of several sets has its own.
tfr shard in -q -o e/t@auto.tfrecord -o e/v@auto.tfrecord=0.3
ls e
tfr shard in -q -o f/t@auto.tfrecord.gz --records-per-shard 7 && gzip -t f/*.gz && for f in f/t-*; do tfr count $f; done
# Another set of the name is refused; with -f it is named, unless it was replaced.
tfr shard in -q -o c/t@auto --records-per-shard 5; echo "status $?"
tfr shard in -f -o c/t@auto --records-per-shard 5 2>&1 | grep -v 'images.*(' | sed 's/, .* in .*//'
ls c
tfr shard in -q -o g/t@3 --records-per-shard 5; echo "status $?"
tfr shard in -q -o g/t.tfrecord --shard-size 5M; echo "status $?"
tfr cat -q "a/t@*.tfrecord" -o g/t@auto; echo "status $?"
ls -A g
