# The members of a tar archive give the records that they would give as the files of a folder.
mkdir in && cp -r "$DATA/images/jpeg" "$DATA/images/png" in && echo no > in/png/notes.txt
( cd in && find . -type f | LC_ALL=C sort | tar --no-recursion -cf ../t.tar -T - )
tfr shard --no-shuffle in -q -o folder@3.tfrecord; echo "status $?"
tfr shard t.tar -o tar@3.tfrecord 2> err; echo "status $?"; sed 's/in [0-9.]* s/in N s/' err
for k in 0 1 2; do cmp folder-0000$k-of-00003.tfrecord tar-0000$k-of-00003.tfrecord; done
cat tar.3-tfrecord.labels.txt
# In any order, since a file's members are a list.
tfr shard t.tar -q --shuffle --seed 4 -o mixed.tfrecord; tfr shard in -q --shuffle --seed 4 -o same.tfrecord; cmp mixed.tfrecord same.tfrecord
# What is done to images on their way is done to these.
tfr shard t.tar -q --resize 16 --sha256 -o small.tfrecord; tfr shard --no-shuffle in -q --resize 16 --sha256 -o same.tfrecord -f; cmp small.tfrecord same.tfrecord
# Two archives as one, as tar -A or cat put them together.
( cd in && tar -cf ../a.tar jpeg && tar -cf ../b.tar png ) && cat a.tar b.tar > ab.tar
tfr shard ab.tar -q -o ab.tfrecord; tfr count ab.tfrecord
tfr shard a.tar -o a.tfrecord -f 2>&1 | sed 's/in [0-9.]* s/in N s/'
# Some at the top, some in a folder: classes where an image is in one.
cp in/png/rgb.png in/top.png; tar -C in -cf mixed.tar top.png png
tfr shard mixed.tar -f -o mixed.tfrecord 2>&1 | grep top; cat mixed.file-tfrecord.labels.txt
mkdir d && echo no > d/readme.txt; tar -cf flat.tar d -C in top.png; rm *.labels.txt
tfr shard flat.tar -q -o flat.tfrecord; tfr show -q --json flat.tfrecord | grep -c class
ls -A | grep -F .tmp
exit 0
