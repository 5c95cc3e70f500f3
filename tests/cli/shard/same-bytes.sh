# The same bytes for any -j and -m; --shuffle by its seed alone; --shuffle loses nothing.
mkdir in && ln -s "$DATA/images/jpeg" "$DATA/images/png" in
mkdir a b c d e f
tfr shard in -q -o a/t@4.tfrecord -j 1
tfr shard in -q -o b/t@4.tfrecord -j 7
tfr shard in -q -o c/t@4.tfrecord -m 1M
for n in 0 1 2 3; do for d in b c; do cmp a/t-0000$n-of-00004.tfrecord $d/t-0000$n-of-00004.tfrecord; done; done
tfr shard in -q -o d/t@4.tfrecord --shuffle --seed 5
tfr shard in -q -o e/t@4.tfrecord --shuffle --seed 5 -j 1
tfr shard in -q -o f/t@4.tfrecord --shuffle --seed 6
for n in 0 1 2 3; do cmp d/t-0000$n-of-00004.tfrecord e/t-0000$n-of-00004.tfrecord; done
cmp -s d/t-00000-of-00004.tfrecord f/t-00000-of-00004.tfrecord && echo 'the seed does nothing'
for d in a d f; do tfr count --sum $d/t@4.tfrecord; done | sort -u | wc -l
