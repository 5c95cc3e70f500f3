# A column of paths: below the folder of the list; as image/encoded with all that belongs to a picture.
mkdir -p set/pics && cp "$DATA"/pictures/jpeg/{420,gray}.jpg set/pics && printf 'a\0b' > set/pics/raw
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
