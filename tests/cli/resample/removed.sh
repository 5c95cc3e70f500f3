# What the hints of removed options print works.
cp "$DATA/images.tfrecord" a.tfrecord
cp a.tfrecord copy.tfrecord
classes=(--class four='image/filename =~ "4"' --target uniform)
tfr resample --shuffle "${classes[@]}" a.tfrecord -o b.tfrecord 2> err; echo "status $?"; cat err
tfr resample -q "${classes[@]}" a.tfrecord -o - | tfr shuffle-to-disk -q -o OUT.tfrecord -; echo "status ${PIPESTATUS[*]}"
[ "$(tfr count OUT.tfrecord)" -gt 0 ] && echo written
tfr schema --first 3 a.tfrecord 2> err; echo "status $?"; cat err
tfr cat -q --limit 3 a.tfrecord | tfr schema | head -n 1
tfr diff --tmpdir . a.tfrecord OUT.tfrecord 2> err; echo "status $?"; cat err
mkdir temporary; TMPDIR=$PWD/temporary tfr diff a.tfrecord copy.tfrecord > out; echo "status $?"
for option in --batch --shuffle-buffer; do
  tfr doctor $option 3 . 2> err; echo "status $?"; cat err
  tfr stats --order image/filename $option 3 a.tfrecord > out; echo "status $?"
done
