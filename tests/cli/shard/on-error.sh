# Broken images are skipped by name and counted; a quarantine notes them.
exec 2>&1
mkdir in
cp "$DATA/media/420.jpg" in/1.jpg
head -c 300 "$DATA/media/420.jpg" > in/2.jpg
mkfifo in/3.jpg
ln -s . in/up
cp "$DATA/media/gray.jpg" in/4.jpg
tfr shard in -o a@2 2>&1 | sed 's/ in [0-9][0-9.]* s,/ in N s,/'
tfr shard -q in -o b@2 --on-error quarantine=bad.txt; echo "status $?"
cat bad.txt
tfr count --per-file 'b@2'
