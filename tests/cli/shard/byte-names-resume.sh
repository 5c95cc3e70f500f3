# Names that are not UTF-8 survive the files of state: a stopped run goes on, a finished one is known again, parts are joined.
exec 2>&1
cafe=$(printf 'caf\351') no=$(printf 'n\361o\355\260\200'); mkdir -p "$cafe/$cafe" "$cafe/$no" out
for i in $(seq 200); do cp "$DATA/media/420.jpg" "$cafe/$cafe/$i$cafe.jpg"; cp "$DATA/media/422.jpg" "$cafe/$no/$i.jpg"; done
short() { sed 's/, read .* sum/, sum/'; }
( trap '' XFSZ; ulimit -f 100; tfr shard -q --checkpoint 0.0001 --resume "$cafe" -o "out/$cafe@2" --report "out/$cafe.tsv" ) 2>&1 | sed 's/-0000[01]-/-N-/'
tfr shard --resume "$cafe" -o "out/$cafe@2" --report "out/$cafe.tsv" 2>&1 | grep -c '^tfr shard: resumed after'
tfr shard --resume "$cafe" -o "out/$cafe@2" --report "out/$cafe.tsv" 2>&1 | short
tfr shard -q --resume "$cafe" -o "out/$cafe.tfrecord"; tfr shard --resume "$cafe" -o "out/$cafe.tfrecord" 2>&1 | short
tfr check -q --manifest "out/$cafe@2" && echo intact
python3 - << 'X'
import json, os
folder = os.path.join(b'out', b'caf\xe9.2.manifest.json')
with open(folder) as f:
    manifest = json.load(f)
print([os.path.exists(b'out/' + os.fsencode(shard['name'])) for shard in manifest['shards']], [os.fsencode(c['text']) for c in manifest['classes']])
X
cp -r out whole; rm -r out; mkdir out
for part in 0 1; do tfr shard -q "$cafe" -o "out/$cafe@2" --part $part/2; done
tfr finish -q "out/$cafe@2" && tfr check -q --manifest "out/$cafe@2" && echo joined
cmp "out/$cafe.2.labels.txt" "whole/$cafe.2.labels.txt" && cat -v "out/$cafe.2.labels.txt"
