# A folder of images becomes a set and comes back byte for byte, for any number of threads.
mkdir in && cp -r "$DATA/images/jpeg" "$DATA/images/png" in && mkdir in/png/deep && cp in/png/rgb.png in/png/deep/.x.png && cp in/png/rgb.png in/png/deep/1.png
tfr shard --no-shuffle in -q -o t@3.tfrecord; rm in/png/deep/.x.png
tfr export t@3.tfrecord -o back 2> err; echo "status $?"; sed 's/in [0-9.]* s/in N s/' err
diff -r in back && echo same
for j in 1 5; do tfr export -q -j $j t@3.tfrecord -o j$j && diff -r in j$j; done
tar -C in -cf in.tar jpeg png; tfr shard --no-shuffle in.tar -q -o u@2.tfrecord; tfr export -q u@2.tfrecord -o from-tar; diff -r in from-tar && echo same
# Not over what is there; with -f, that is moved aside, and never removed.
tfr export -q t@3.tfrecord -o back 2>&1; echo "status $?"
tfr export t@3.tfrecord -n 1 -f -o back/ 2>&1 | sed 's/in [0-9.]* s/in N s/'; find back -type f; diff -r in back.old
tfr export -q t@3.tfrecord -f -o back 2>&1; echo "status $?"
ln -s in link; tfr export -q t@3.tfrecord -f -o link; echo "status $?"; ls -d link.old; diff -r in link
# What a killed run left is taken over, and a link in it not followed.
mkdir .again.tmp precious && touch precious/file && ln -s ../precious .again.tmp/jpeg && touch .again.tmp/junk
tfr export -q t@3.tfrecord -o again; diff -r in again; ls precious
ln -s precious .trap.tmp; tfr export -q t@3.tfrecord -o trap 2>&1; echo "status $?"; ls precious; rm .trap.tmp
for target in . .. / - gone/x; do tfr export -q t@3.tfrecord --to folder -o $target 2>&1; echo "status $?"; done
tfr export -q --where 'image/width < 0' t@3.tfrecord -o none 2>&1; echo "status $?"
tfr export -q t@3.tfrecord 2>&1; echo "status $?"
ls -A | grep tmp
exit 0
