# A folder of images and one of masks: palettes and 16 bits become plain numbers, gray stays, what is no mask is named.
exec 2>&1
masks() { tfr show --json --bytes base64 --limit 100 "$@" | python3 "$TOOLS/masks.py" pairs "$DATA/pairs"; }
cp -r "$DATA/pairs/images" "$DATA/pairs/masks" .
tfr shard --no-shuffle images --mask masks -o a@2.tfrecord 2>&1 | sed 's/, read .*//'
masks 'a@2.tfrecord'
echo --- the same, named otherwise
tfr shard --no-shuffle -q --from pairs images --mask masks -o b@2.tfrecord && cmp a-00000-of-00002.tfrecord b-00000-of-00002.tfrecord && cmp a-00001-of-00002.tfrecord b-00001-of-00002.tfrecord && echo equal
tfr shard -q --verify-images -j 7 --shuffle images --mask masks -o c@2.tfrecord
test "$(tfr count --sum 'c@2.tfrecord')" = "$(tfr count --sum 'a@2.tfrecord')" && echo same records
echo --- what comes with it
tfr show a-00000-of-00002.tfrecord --limit 1 | cut -c 1-60
ls
