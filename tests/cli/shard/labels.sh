# Labels out of a file: with numbers, without, in any order; what does not fit is said.
mkdir -p in/cat in/dog && cp "$DATA/images/png/rgb.png" in/cat/1.png && cp "$DATA/images/png/rgb.png" in/dog/2.png
look() { tfr show -q "$1" | grep class | sed 's/.*\] *//' | paste -sd ' '; }
run() { echo "-- $1"; printf -- "$1" > map.txt; shift; tfr shard -f in -o t.tfrecord --labels map.txt "$@" 2>&1 | grep -v '^tfr shard: read'; }
run '7:dog\n3:cat\n'; look t.tfrecord; cat t.file-tfrecord.labels.txt
run 'dog\ncat'; look t.tfrecord
run 'dog\r\n\r\ncat\r\n' --label-base 1; look t.tfrecord; cat t.file-tfrecord.labels.txt
run '0:background\n1:cat\n2:dog\n3:emu\n'; look t.tfrecord; cat t.file-tfrecord.labels.txt
run '\xef\xbb\xbf3:cat\n7:dog\n'; look t.tfrecord
run '1:cat\n'
run '1:cat\ndog\n'
run 'cat\n1:dog\n'
run '1:cat\n1:dog\n'
run '1:cat\n2:dog\n3:cat\n'
run '1:cat\n2:\n'
run '\n\n'
run '99999999999999999999:cat\n2:dog\n'
run '1:cat\n2:dog\n' --label-base 5
run '-1:cat\n-2:dog\n'; look t.tfrecord
run 'cat\000\ndog\n'
rm map.txt; tfr shard -f in -o t.tfrecord --labels map.txt; echo "status $?"
mkdir flat && cp in/cat/1.png flat && tfr shard flat -o u.tfrecord --labels t.file-tfrecord.labels.txt; echo "status $?"
echo "what shard wrote can be given again"
mkdir a b && cp t.file-tfrecord.labels.txt a/given && tfr shard -q in -o a/t.tfrecord --labels a/given && cmp a/given a/t.file-tfrecord.labels.txt && echo same
ls
