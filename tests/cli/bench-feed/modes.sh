# The ways to the device, all with the same records: each is said again in the last line, and --verify-transfers finds nothing.
feed() { timeout 100 tfr bench-feed -q --batch 4 --size 16 --augment resize,normalise --epochs 3 --json "$@" "$DATA/images.tfrecord" > out 2> err; echo "$*: status $?"; cat err
  python3 -c 'import json; j = json.load(open("out")); print(j["records"], j["batches"], j["device_bytes"], j["verified"], j["first_batch"])'; }
feed --device host
feed --device host --verify-transfers
feed --device host --normalise-on device --verify-transfers
feed --device host --pageable --verify-transfers
feed --device sim:1G,10us --no-overlap --verify-transfers
feed --device sim:1G,10us --steps-per-transfer 3 --verify-transfers
feed --device sim:1G,10us,2 --steps-per-transfer 3 --compute-ms 1 --verify-transfers
feed --device sim:1G,10us,3 --compute-ms 1:1 --prefetch 1
feed --device host --fast-decode --shuffle-files
python3 -c 'import json; print(json.load(open("out"))["exact"])'
tfr bench-feed -q --device host --fast-decode --verify-transfers --steps 2 --batch 4 "$DATA/images.tfrecord" > out; grep ^note out; tr -s '\n ' ' ' < out | grep -o 'every batch was copied back and compared: no difference'
