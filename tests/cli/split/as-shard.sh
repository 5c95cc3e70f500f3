# By image/filename records are divided exactly as `shard` divides the files that they are made of.
mkdir -p in/a in/b/c
for n in $(seq 150); do cp "$DATA/images/png/rgb.png" in/a/$n.png; cp "$DATA/images/jpeg/420.jpg" "in/b/c/ö $n.jpg"; done
names() { tfr show -q --json "$@" | grep -o '"image/filename": [^]]*]'; }
mkdir divided whole split
tfr shard -q in -o divided/a@3.tfrecord=0.5 -o divided/b@2.tfrecord -o divided/c@1.tfrecord=0.2
tfr shard -q in --shuffle --seed 9 -o whole/all@5.tfrecord
tfr split -q whole/all@5.tfrecord --key image/filename -o split/a@3.tfrecord=0.5 -o split/b@2.tfrecord -o split/c@1.tfrecord=0.2
for s in a b c; do
  names divided/$s@*.tfrecord | sort > want; names split/$s@*.tfrecord | sort > got
  cmp want got && [ $(wc -l < got) -gt 20 ] && echo "$s alike"
  [ "$(tfr count --sum divided/$s@*.tfrecord)" = "$(tfr count --sum split/$s@*.tfrecord)" ] || echo "$s: other records"
done
