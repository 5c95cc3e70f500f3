# Broken images are skipped by name and counted, and move no other: the whole ones lie where they would lie anyway.
mkdir -p in/a && cp "$DATA"/images/broken/* in/a && cp "$DATA/images/png/rgb.png" in/a/zz.png
echo hello > in/a/notes.txt
tfr shard --max-skipped 100 --no-shuffle in -o t@4.tfrecord 2> err; echo "status $?"
sed 's/in [0-9.]* s/in N s/' err
for n in 0 1 2 3; do tfr count -q t-0000$n-of-00004.tfrecord; done
tfr shard --no-shuffle in -o u@2.tfrecord --on-error fail 2> err; echo "status $?"; cat err
tfr shard --max-skipped 100 --no-shuffle in -q -o v@2.tfrecord --on-error quarantine=bad.txt; echo "status $?"; cat bad.txt
tfr shard --max-skipped 100 --no-shuffle in -q -o w@2.tfrecord --verify-images --on-error quarantine=more.txt; echo "status $?"; diff bad.txt more.txt
ls -A
