# A finished run with --resume that is repeated writes nothing and ends with 0; with other options or inputs it says which.
mkdir in && cp -r "$DATA/images/png" "$DATA/images/jpeg" in
say() { "$@" 2>&1 | grep -v 'warning\|: read '; echo "status ${PIPESTATUS[0]}"; }
twice() { rm -rf out; mkdir out; echo "== $*"; tfr "$@" -q 2> /dev/null; echo "status $?"; ls -l --time-style=full-iso out > before; say tfr "$@"; ls -l --time-style=full-iso out | cmp - before; }
twice shard in --resume -o out/t@3.tfrecord
tfr check -q --manifest out/t@3.tfrecord && echo whole
twice shard in --resume -o out/t@auto.tfrecord --records-per-shard 4
touch out/t-00001-of-00099.tfrecord; say tfr shard in --resume -o out/t@auto.tfrecord --records-per-shard 4; rm out/t-00001-of-00099.tfrecord   # no first shard: no set
twice shard in --resume -o out/a@2=0.5 -o out/b@2.tfrecord
twice shard in --resume --tfds out/ds
twice shard in --resume -o out/t.tfrecord; ls out; cp out/t.tfrecord all.tfrecord
tfr shard -q -f in -o out/t.tfrecord 2> /dev/null; ls out
twice shard all.tfrecord --resume -o out/t@3.tfrecord
echo "what differs"
tfr shard -q in --resume -o s@2 2> /dev/null; say tfr shard in --resume -o s@2 --seed 7 --shuffle; say tfr shard in --resume -o s@2 --verify-images
cp in/png/rgb.png in/png/more.png; say tfr shard in --resume -o s@2; say tfr shard in --resume -f -o s@2; say tfr shard in --resume -o s@2
echo "something was written since, or not by --resume"
tfr cat -q -f all.tfrecord -o s-00000-of-00002; say tfr shard in --resume -o s@2
tfr shard -q in -o u@2 2> /dev/null; say tfr shard in --resume -o u@2
tfr shard -q --json in --resume -o v@2 2> /dev/null | grep -o '.complete.: [a-z]*'; tfr shard -q --json in --resume -o v@2 | grep -o '.complete.: [a-z]*'
echo "what is expected of a finished run"
N=$(tfr count 'v@2'); say tfr shard in --resume -o v@2 --expect $N; say tfr shard in --resume -o v@2 --expect 3; say tfr shard in --resume -o v@2 --expect-sum 0000000000000000
