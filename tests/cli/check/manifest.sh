# --manifest: what the manifest says is proved of each file; the sums are computed here once more, by other code.
mkdir in && ln -s "$DATA/images/jpeg" "$DATA/images/png" in
tfr shard --no-shuffle in -q -o t@3.tfrecord
check() { tfr check -q --manifest "$@"; echo "status $?"; }
say() { echo "--- $*"; }
say whole; check t@3.tfrecord; check --quick t@3.tfrecord; check t-00001-of-00003.tfrecord; check --decode 't-*'
python3 - <<'P'
import json, os, records
for s in json.load(open('t.3-tfrecord.manifest.json'))['shards']:
    data = open(s['name'], 'rb').read()
    print(s['crc32c'] == '%08x' % records.crc32c(data), s['bytes'] == len(data), s['records'] == len(list(records.unframe(data))))
P
cp -r . ../fresh
say 'a copy has another time'; touch t-00001-of-00003.tfrecord; check t@3.tfrecord
say 'an empty record more'
python3 "$DATA/records.py" write '' >> t-00001-of-00003.tfrecord; check t@3.tfrecord | sed 's/sum .*/sum …/'; check --quick t@3.tfrecord
say 'the same records in another order: only the file is another'
cp ../fresh/t-* .
python3 - <<'P'
import records
name = 't-00001-of-00003.tfrecord'
payloads = [p for _, p, _ in records.unframe(open(name, 'rb').read())]
open(name, 'wb').write(b''.join(map(records.frame, reversed(payloads))))
P
check t@3.tfrecord | sed -E 's/[0-9a-f]{8}/H/g'; check --quick t@3.tfrecord
say 'shards exchanged'
cp ../fresh/t-00001-of-00003.tfrecord t-00000-of-00003.tfrecord; cp ../fresh/t-00000-of-00003.tfrecord t-00001-of-00003.tfrecord
check t@3.tfrecord | grep -c 'not what the manifest says'
cp ../fresh/t-* .
say 'no manifest, or no member of a set'
mv t.3-tfrecord.manifest.json m; check t@3.tfrecord; cp t-00000-of-00003.tfrecord alone; check alone - < alone; mv m t.3-tfrecord.manifest.json
say 'a set of another number'
cp t-00000-of-00003.tfrecord t-00000-of-00001.tfrecord; check t@1.tfrecord; rm t-00000-of-00001.tfrecord
say 'another name'
cp t-00002-of-00003.tfrecord t-00002-of-00003.tfrec; check t-00002-of-00003.tfrec
say 'reports'
rm t.3-tfrecord.manifest.json
tfr check --manifest --json t@3.tfrecord | python3 -c 'import json, sys; j = json.load(sys.stdin); print(j["bad_files"], j["faults"])'
tfr check -q --manifest --format junit t@3.tfrecord | python3 -c 'import sys, xml.etree.ElementTree as t; print([len(c) for c in t.fromstring(sys.stdin.read())[0]])'
