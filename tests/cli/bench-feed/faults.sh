# However a feed ends, the report comes first.  A broken image: named, or skipped and counted, or put aside.
report() { grep -cE '^(device|stages|rate|stage|bottleneck:) ' out; }
python3 - <<'PY'
import os, records
good = open(os.environ['DATA'] + '/images.tfrecord', 'rb').read()
payloads = [p for _, p, _ in records.unframe(good)]
payloads[3] = records.example({'image/encoded': records.bytes_list([b'\xff\xd8\xff\xe0 cut'])})
payloads[5] = records.example({'label': records.int64_list([1])})
framed = [records.frame(p) for p in payloads]
open('broken.tfrecord', 'wb').write(b''.join(framed))
last = bytearray(framed[-1])
last[20] ^= 1
open('damaged.tfrecord', 'wb').write(b''.join([records.frame(p) for _, p, _ in records.unframe(good)][:-1]) + last)
PY
run() { tfr bench-feed --device host --size 16 -j 1 "$@" > out 2> err; echo "status $?, $(report) of the report"; cat err; }
run broken.tfrecord --shuffle-buffer 0
run broken.tfrecord --on-error skip
run broken.tfrecord --on-error skip -q
grep -o '[0-9]* skipped' out
run broken.tfrecord --on-error quarantine=bad.tfrecord -q
tfr count bad.tfrecord
run damaged.tfrecord
grep -o '[0-9]* records in 1 batch' out
run damaged.tfrecord --on-error skip
