# --cold: the same records, whatever the system does with its cache.
cp "$DATA/images.tfrecord" a.tfrecord
tfr bench-feed -q --cold --device host --json --batch 4 a.tfrecord > out; echo "status $?"
python3 -c 'import json; j = json.load(open("out")); print(j["records"])'
tfr bench-feed --cold - < a.tfrecord 2>&1; echo "status $?"
