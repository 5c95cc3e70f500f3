mkdir in && ln -s "$DATA/images/jpeg" "$DATA/images/png" in
tfr shard in -q -o t@1.tfrecord --label-base 1; cat t.1-tfrecord.labels.txt
tfr shard in -q -f -o t@1.tfrecord --label-base 2147483648 2>&1
tfr show -q --json t@1.tfrecord | grep -o '"image/class/label": [^]]*]' | sort | uniq -c | sed 's/^ *//'
