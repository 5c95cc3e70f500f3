# Images directly in the folder: no class features if all are there, else skipped with the reason.
mkdir flat mixed && cp "$DATA"/images/png/{rgb,gray}.png flat
tfr shard flat -q -o t@1.tfrecord; echo "status $?"
tfr show -q --json t@1.tfrecord; ls
mkdir mixed/a && cp "$DATA/images/png/rgb.png" mixed && cp "$DATA/images/png/gray.png" mixed/a
tfr shard mixed -o u@1.tfrecord 2> err; echo "status $?"; sed 's/in [0-9.]* s/in N s/' err
