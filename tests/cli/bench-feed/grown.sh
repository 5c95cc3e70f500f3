# Batches that are larger than the first records promise: copied back and compared like all others.
awk 'BEGIN {
  for (i = 0; i < 20000; i++) print "{\"x\":[1,2,3,4]}"
  for (i = 0; i < 256; i++) { printf "{\"x\":[1"; for (k = 1; k < 900; k++) printf ",1"; print "]}" }
}' > w.jsonl
tfr shard -q w.jsonl -o w.tfrecord
for how in "--device host" "--device sim:10G,0,2 --feature x:int64[]"; do
  tfr bench-feed -q $how --verify-transfers --shuffle-buffer 0 --json w.tfrecord > out; echo "status $?"
  python3 -c 'import json; j = json.load(open("out")); print(j["records"], "records, verified:", j["verified"])'
done
