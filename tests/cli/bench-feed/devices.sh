# Several devices get batches in turn, and a row each.
tfr bench-feed --device sim:1G,10us,3 --batch 2 --size 16 --epochs 3 --json -q "$DATA/images.tfrecord" > out; echo "status $?"
python3 -c '
import json
j = json.load(open("out"))
print(j["device"], [(d["name"], d["batches"], d["bytes"] > 0, d["link_bytes_per_second"] > 1e8) for d in j["devices"]], j["batches"])'
tfr bench-feed --device sim:1G,10us,3 --batch 2 --size 16 --epochs 3 --compute-ms 2 -q "$DATA/images.tfrecord" | grep -A 3 '^device .*idle' | sed 's/   *[0-9.]* [KM]iB.*//; s/  */ /g'
