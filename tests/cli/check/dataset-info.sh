# A folder of TensorFlow Datasets says how many records each file has: check and doctor compare.
mkdir -p in/a
for n in 1 2 3 4 5; do cp "$DATA/media/420.jpg" in/a/$n.jpg; done
tfr shard -q in --tfds pets -o train --records-per-shard 2; rm pets/*.manifest.json
both() { tfr check -q pets; echo "$1: check $?"; tfr doctor -q pets 2>&1 | grep -A1 -i 'dataset_info\|no manifest'; }
both intact
head -c $(($(stat -c %s pets/*00002-of*) / 2)) pets/*00000-of* > half; cp pets/pets-train.tfrecord-00000-of-00003 kept
tfr cat -q -f --limit 1 kept -o pets/pets-train.tfrecord-00000-of-00003; both lost
cp kept pets/pets-train.tfrecord-00000-of-00003; cp pets/dataset_info.json info
edit() { python3 - "$1" << 'P'
import json, sys
info = json.load(open('info'))
split = info['splits'][0]
exec(sys.argv[1])
json.dump(info, open('pets/dataset_info.json', 'w'))
P
both "$1"; }
edit 'split["shardLengths"] = [2, 2, 1]'
edit 'del split["filepathTemplate"]'
edit 'split["shardLengths"] = [2, 2, 2]'
edit 'split["shardLengths"] = [2, 2, -1]'
edit 'split["shardLengths"] = [2, 2, {"a": 99999999999999999999999}]'
edit 'split["shardLengths"] = "all"'
edit 'info["splits"] = [[], 3, None, split]'
edit 'info["splits"] = {"train": split}'
edit 'split["filepathTemplate"] = "{SHARD_INDEX}{NUM_SHARDS}{X}{"'
for text in '[1]' '{' '' '{"splits": 7}'; do echo "$text" > pets/dataset_info.json; both "$text"; done
python3 -c "print('[' * 100000)" > pets/dataset_info.json; both deep
rm pets/dataset_info.json; mkdir pets/dataset_info.json; both folder
