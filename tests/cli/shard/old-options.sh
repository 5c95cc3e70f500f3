# Old names of options still work or are refused with a hint; help does not show them.
exec 2>&1
cp -r "$DATA/pairs/images" .
tfr shard -q --verify images -o a.tfrecord && tfr shard -q --verify-images images -o b.tfrecord && cmp a.tfrecord b.tfrecord && echo same
tfr shard --stratify -q images -o c.tfrecord; echo "status $?"
tfr shard --masks images -o c.tfrecord; echo "status $?"
tfr shard --masks=x images -o c.tfrecord; echo "status $?"
tfr shard --per-epoch images -o c.tfrecord; echo "status $?"
tfr shard --follow pipe -o c.tfrecord; echo "status $?"
tfr shard --image=x --mask images -o c.tfrecord; echo "status $?"
tfr shard --per-epoh images -o c.tfrecord; echo "status $?"
tfr shard -h | grep -E -c -e '--(verify|stratify|masks|per-epoch|follow|images?) '
tfr completion bash | grep -c -e '--per-epoch' -e '--verify '
