# What a run was resumed from must be as it was; a signal and a failure leave it only where --resume was given.
mkdir in out
for i in $(seq 400); do cp "$DATA/media/420.jpg" in/$i.jpg; done
shard() { tfr shard -q --checkpoint 0.001 "$@"; }
# No room: what was written and noted stays, and is gone on with.
trap '' XFSZ
( ulimit -f 200; shard --resume in -o out/t@2.tfrecord ) 2>&1 | sed 's/-0000[01]-/-N-/'
ls -A out
cp -r out kept
tfr shard -q --resume --seed 5 in -o out/t@2.tfrecord; echo "status $?"
tfr shard -q --resume --verify-images in -o out/t@2.tfrecord; echo "status $?"
touch in/7.jpg
tfr shard -q --resume in -o out/t@2.tfrecord; echo "status $?"
rm -r in/7.jpg
tfr shard -q --resume in -o out/t@2.tfrecord; echo "status $?"
cp "$DATA/media/420.jpg" in/7.jpg
# Without --resume, what is there is void.
tfr shard -q in -o out/t@2.tfrecord; echo "status $?"; ls -A out
rm -rf out; mkdir out
( ulimit -f 200; shard in -o out/t@2.tfrecord ) 2> /dev/null; echo "status $?"; ls -A out
# A signal.
for i in $(seq 100); do mkdir -p more/$i; ln -s ../../in more/$i; done
for how in --resume -j2; do
  rm -rf out; mkdir out
  tfr shard -q $how --checkpoint 0.002 more -o out/t@2.tfrecord & pid=$!
  for i in $(seq 1000); do [ -e out/.t@2.tfrecord.resume ] && break; sleep 0.005; done
  kill -TERM $pid; wait $pid; echo "status $?"; ls -A out
done
tfr shard -q --resume in -o - > /dev/null; echo "status $?"
tfr shard -q --resume --from records - -o out/t@2 < /dev/null; echo "status $?"
# A file that an option names beside the input counts as part of it.
rm -rf out; mkdir out classes && ln -s ../in classes/a
echo a > labels
( ulimit -f 200; tfr shard -q --checkpoint 0.001 --resume classes --labels labels -o out/t@2.tfrecord ) 2> /dev/null; echo "status $?"
echo b >> labels
tfr shard -q --resume classes --labels labels -o out/t@2.tfrecord; echo "status $?"
