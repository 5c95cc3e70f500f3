# A folder of images as TensorFlow Datasets lays a data set: shards of its names, what says what they have, and the sums.
mkdir -p in/cat in/dog
for n in 1 2 3 4 5; do cp "$DATA/media/420.jpg" "in/cat/$n.jpg"; cp "$DATA/media/gray.jpg" "in/dog/$n.jpg"; done
echo text > in/dog/0.txt
tfr shard --no-shuffle -q in --tfds pets/; echo "status $?"
ls -A pets; cat pets/dataset_info.json pets/features.json pets/label.labels.txt
tfr show -q --json 'pets/pets-train.tfrecord@1' | sed -n '1p;6p'
tfr check -q --manifest 'pets/pets-train.tfrecord@1'; echo "check $?"
echo '== splits that fill, for any number of threads'
for j in 1 4; do tfr shard -q -j $j in --tfds $j/Pets_2 -o train -o test=0.4 --records-per-shard 2 --shuffle; done 2>&1
mkdir 1 4
for j in 1 4; do tfr shard -q -j $j in --tfds $j/Pets_2 -o train -o test=0.4 --records-per-shard 2 --shuffle; done
diff -r -x '*.manifest.json' 1 4 && ls 1/Pets_2
python3 - << 'X'
import json, os
info = json.load(open('1/Pets_2/dataset_info.json'))
import records
for split in info['splits']:
    n = len(split['shardLengths'])
    payloads = [[r[1] for r in records.unframe(open('1/Pets_2/Pets_2-%s.tfrecord-%05d-of-%05d' % (split['name'], k, n), 'rb').read())] for k in range(n)]
    assert [str(len(p)) for p in payloads] == split['shardLengths']
    assert str(sum(len(r) for p in payloads for r in p)) == split['numBytes']
print(info['name'], sum(int(k) for s in info['splits'] for k in s['shardLengths']))
X
echo '== over what is there'
tfr shard --no-shuffle -q in --tfds pets 2>&1; echo "status $?"
mv in/dog/1.jpg in/cat/6.jpg
tfr shard --no-shuffle -q -f in --tfds pets; grep -A 1 shardLengths pets/dataset_info.json
echo '== no classes'
tfr shard --no-shuffle -q -f in/cat --tfds pets; ls pets; grep -c label pets/*.json
echo '== a dry run'
tfr shard --no-shuffle --dry-run in --tfds nothing -o a=0.5 -o b | cut -f 1,2; ls nothing 2>&1
truncate -s 90M in/cat/1.jpg in/cat/2.jpg in/cat/3.jpg in/cat/4.jpg
tfr shard --no-shuffle --dry-run in --tfds many | cut -f 1,2
