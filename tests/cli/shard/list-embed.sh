# A column of paths: below the folder of the list; as image/encoded with all that belongs to an image.
mkdir -p set/pics && cp "$DATA"/images/jpeg/{420,gray}.jpg set/pics && printf 'a\0b' > set/pics/raw
cat > set/list.csv <<'END'
image,label,extra
pics/420.jpg,3,pics/raw
pics/gray.jpg,4,
pics/none.jpg,5,
pics/raw,6,
END
tfr shard set/list.csv --embed image=image/encoded --embed extra -o a.tfrecord 2> err; echo "status $?"; sed 's/in [0-9.]* s/in N s/' err
tfr show -q --json a.tfrecord
tfr check -q --decode a.tfrecord; echo "status $?"
echo "bytes alone"
tfr shard -q set/list.csv --embed image -o b.tfrecord; tfr show -q --json b.tfrecord
echo "a pipe's paths begin where the process is"
(cd set && tfr shard -q --from csv - --embed image=image/encoded -o ../c.tfrecord < list.csv); tfr count c.tfrecord
printf '{"image": "pics/420.jpg"}\n{"image": 5}\n' > set/l.jsonl
tfr shard set/l.jsonl --embed image=image/encoded -o d.tfrecord 2> err; sed 's/in [0-9.]* s/in N s/' err; tfr show -q --json d.tfrecord
echo "--root: the folder in which the paths begin"
mkdir lists && cp set/list.csv lists
tfr shard lists/list.csv --embed image=image/encoded -o e.tfrecord 2>&1; echo "status $?"
for root in set set/ "$PWD/set"; do
	tfr shard -q lists/list.csv --root "$root" --embed image=image/encoded --embed extra -f -o e.tfrecord; cmp a.tfrecord e.tfrecord
done
tfr shard -q --from csv - --root set --embed image=image/encoded --embed extra -f -o e.tfrecord < set/list.csv; cmp a.tfrecord e.tfrecord
printf 'image\n%s\n' "$PWD/set/pics/420.jpg" > absolute.csv; tfr shard -q absolute.csv --root lists --embed image -o f.tfrecord; tfr count f.tfrecord
tfr shard lists/list.csv --root set -o g.tfrecord 2>&1; echo "status $?"
tfr shard lists/list.csv --root nowhere --embed image -o g.tfrecord 2>&1; echo "status $?"
tfr shard set/pics --root set -o g.tfrecord 2>&1; echo "status $?"
