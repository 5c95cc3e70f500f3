# What release 0.2.0 wrote stays readable: manifest, labels, indexes, statistics and schema (tests/data/release-0.2.0/make).
exec 2>&1
cp "$DATA"/release-0.2.0/[!m]* . && touch -- *.idx *.gzi
keep_time() { # sets the time of each shard to that in the manifest
  python3 - <<'P'
import json, os
for shard in json.load(open('train.2-tfrecord.manifest.json'))['shards']:
    time = int(shard['mtime'].replace('.', ''))
    os.utime(shard['name'], ns=(time, time))
P
}
set=train@2.tfrecord; all=("$set" "$DATA/sequence.tfrecord" numbers.tfrecord)
echo "--- manifest"
tfr check -q --decode --manifest $set && tfr check -q --quick --manifest $set && echo intact
mkdir cut && cp train* cut && cd cut
printf x | dd of=train-00001-of-00002.tfrecord bs=1 seek=3 conv=notrunc status=none; keep_time
tfr count --manifest $set; tfr count $set 2>&1 | head -n 1
printf x >> train-00000-of-00002.tfrecord; tfr check -q --quick --manifest train-00000-of-00002.tfrecord; tfr count --manifest train-00000-of-00002.tfrecord 2>&1 | head -n 1; cd ..
echo "--- labels"
mkdir -p more/{cat,dog} && for class in cat dog; do cp "$DATA/images/png/rgb.png" more/$class; done
for map in train.2-tfrecord.labels.txt train.2-tfrecord.manifest.json; do tfr shard -q --labels $map more -o new.tfrecord -f; cat new.file-tfrecord.labels.txt; done
mkdir more/ant && cp "$DATA/images/png/rgb.png" more/ant
for map in train.2-tfrecord.labels.txt train.2-tfrecord.manifest.json; do tfr shard -q --labels $map more -o new.tfrecord -f 2>&1 | head -n 1; done
rm new.*; tfr shard more -o train.tfrecord 2>&1 | grep warning:
echo "--- indexes"
tfr index --check -q $set lines.gz && echo "up to date"
dd if=/dev/zero of=lines.gz bs=100 seek=300 count=1 conv=notrunc status=none; touch -- *.gzi *.idx
tfr cat -q lines.gz > /dev/null 2>&1; echo "all of a damaged file: status $?"
tfr cat -q --records 29 lines.gz | wc -c
echo "--- statistics"
tfr stats --merge stats.json > merged; tfr stats "${all[@]}" | diff - merged && echo "those of the records"
sed -n '/^far/,/bytes/p; /^float/,/bytes/p; /^offset/,/bytes/p' merged
tfr stats --merge --json stats.json > merged.json; python3 - <<'P'
import json, math
old, new = (json.load(open(name))['features'] for name in ('stats.json', 'merged.json'))
for a, b in zip(old, new, strict=True):
    for key in ('mean', 'deviation'):
        for part in ('length', 'numbers', 'sizes'):
            if not math.isclose(a.get(part, {}).get(key, 0), b.get(part, {}).get(key, 0), rel_tol=1e-12):
                print(a['name'], part, key, a[part], b[part])
P
tfr stats --json "$DATA/kinds.tfrecord" > kinds.json
tfr stats --merge stats.json kinds.json | diff - <(tfr stats "${all[@]}" "$DATA/kinds.tfrecord") && echo "merged with fresh ones: those of the records"
echo "--- schema"
tfr check -q --schema schema.json $set && echo intact
tfr check -q --schema schema.json numbers.tfrecord | head -n 1
