# Records without an image: read, batched, uploaded as they are.
tfr bench-feed -q --json --device host "$DATA/payloads.tfrecord" "$DATA/members.tfrecord" > out; echo "status $?"
python3 -c '
import json
j = json.load(open("out")); print(j["records"], [s["name"] for s in j["stages"]])'
