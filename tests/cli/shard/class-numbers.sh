# A folder that lacks a class gets other numbers: shard warns, doctor and diff report it, and --labels gives the same.
for split in train val; do for class in class001 class002 class003; do mkdir -p $split/$class; cp "$DATA/images/png/rgb.png" $split/$class/$split.png; done; done
rm -r val/class001; mkdir out
tfr shard -q train -o out/train@2.tfrecord; echo "status $?"
tfr shard val -o out/val@1.tfrecord 2>&1 | grep warning
doctor() { tfr doctor -q --json "$@" | python3 -c 'import json, sys
for f in json.load(sys.stdin)["findings"]:
    if f["name"] == "class-numbers": print(f["level"], f["subject"], f["text"])'; }
differ() { tfr diff "$@" --overlap; echo "status $?"; }
doctor out; differ out/train@2.tfrecord out/val@1.tfrecord
tfr diff --json out/train@2.tfrecord out/val@1.tfrecord --only schema | grep -A 3 '"classes"'
echo "from records, of sets without anything beside them"
mkdir bare && cp out/*.tfrecord bare && doctor bare; differ bare/train@2.tfrecord bare/val@1.tfrecord
echo "carried along"
for command in cat shuffle-to-disk split dedup repair "shard --from records" "resample --by image/class/label --target uniform"; do
  tfr $command -q -f out/train@2.tfrecord -o out/copy@1; python3 -c 'import json; print([list(c.values()) for c in json.load(open("out/copy.1.manifest.json"))["classes"]])'
done
tfr cat -q -f out/train@2.tfrecord out/val@1.tfrecord -o out/copy@1; grep -c classes out/copy.1.manifest.json
tfr resample -q -f --by image/height --target uniform out/train@2.tfrecord -o out/copy@1; grep text out/copy.1.manifest.json | tr -d ' \n'; echo
rm out/copy*
echo "as it is advised"
tfr shard -f --labels out/train.2-tfrecord.labels.txt val -o out/val@1.tfrecord 2>&1 | grep warning
doctor out; differ out/train@2.tfrecord out/val@1.tfrecord
echo "others"
mkdir digits && for d in 1 2 3; do mkdir digits/$d; cp "$DATA/images/png/rgb.png" digits/$d/; done; mkdir digits/class001; cp "$DATA/images/png/rgb.png" digits/class001
tfr shard digits -o out/digits@1.tfrecord 2>&1 | grep warning.*class; printf '5:class001\n6:class002\n7:class003\n' > out/labels.txt
tfr shard -f train -o out/train@2.tfrecord 2>&1 | grep warning.*class
echo "beside a set that has a manifest only"
mkdir copy && tfr cat -q out/train@2.tfrecord -o copy/train@1.tfrecord && ls copy
tfr shard val -o copy/val@1.tfrecord 2>&1 | grep warning.*class
tfr shard -f val -o copy/val@1.tfrecord --labels copy/train.1-tfrecord.manifest.json 2>&1 | grep warning.*class; cat copy/val.1-tfrecord.labels.txt
echo '{"version": 1}' > map; tfr shard -f val -o copy/val@1.tfrecord --labels map; echo "status $?"
