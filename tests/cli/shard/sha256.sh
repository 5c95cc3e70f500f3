# image/key/sha256 is what sha256sum says of image/encoded, as it is in the record.
mkdir in && cp "$DATA"/images/jpeg/*.jpg "$DATA"/images/png/*.png in
tfr shard -q in -o a.tfrecord --sha256
tfr show -q --json a.tfrecord | python3 -c '
import hashlib, json, sys
rows = [json.loads(line) for line in sys.stdin]
print(sum(r["image/key/sha256"][0] == hashlib.sha256(open("in/" + r["image/filename"][0], "rb").read()).hexdigest() for r in rows), "of", len(rows))'
tfr shard -q in -o b.tfrecord --sha256 --resize 10
tfr show -q --json --bytes base64 b.tfrecord | python3 -c '
import base64, hashlib, json, sys
rows = [json.loads(line) for line in sys.stdin]
print(sum(r["image/key/sha256"][0] == hashlib.sha256(base64.b64decode(r["image/encoded"][0]["base64"])).hexdigest() for r in rows), "of", len(rows))'
