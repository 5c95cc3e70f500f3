cd "$DATA" && tfr show -q --json kinds.tfrecord sequence.tfrecord && tfr show -q --json -n 2 --skip 8 images.tfrecord
tfr show -q --json kinds.tfrecord | python3 -c 'import json, sys; [json.loads(l) for l in sys.stdin]'
tfr show -q --json --bytes base64 kinds.tfrecord --skip 3 -n 1
