# Nested folders belong to the top one's class; links to files and folders are followed; a loop is refused by name; dotfiles
# are no images; component by component, 'a/b' comes before 'a.b'.
mkdir -p in/a/deep/er in/a.b in/b in/.hidden
cp "$DATA/images/png/rgb.png" in/a/deep/er/1.png
cp "$DATA/images/png/rgb.png" in/a/z.png
cp "$DATA/images/png/rgb.png" in/a.b/2.png
cp "$DATA/images/png/rgb.png" in/.hidden/no.png
cp "$DATA/images/png/rgb.png" in/b/.no.png
ln -s ../a/z.png in/b/link.png
ln -s "$DATA/images/jpeg" in/c
ln -s .. in/b/loop
ln -s "$(printf '%0300d' 0)" in/b/long   # leads nowhere
tfr shard --no-shuffle in -o t@1.tfrecord 2> err; echo "status $?"
sed 's/in [0-9.]* s/in N s/' err
tfr show -q --json t@1.tfrecord | grep -o '"image/filename": [^]]*]' ; cat t.1-tfrecord.labels.txt
