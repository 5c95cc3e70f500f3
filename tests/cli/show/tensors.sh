# TensorProtos as TensorFlow wrote them.
cd "$DATA" && for how in '' --json; do tfr show -q $how tensors.snapshot; done
tfr show -q --json tensors.snapshot |
  python3 -c 'import json, sys; print(sum(len(json.loads(l)) for l in sys.stdin), "objects")'
