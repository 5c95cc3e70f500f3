# JSON by several threads: the same lines in the same order for any -j, up to the record that ends the command.
exec 2>&1
awk 'BEGIN { print "id,text,x"; for (i = 0; i < 30000; i++) print i ",text " i "," i / 8 }' >t.csv
tfr shard -q t.csv -o t.tfrecord
for j in 1 3; do tfr show -q -j $j --json t.tfrecord >$j.jsonl; done; cmp 1.jsonl 3.jsonl && wc -l <3.jsonl
sed -n '1p;20001p;$p' 3.jsonl
tfr export -q -j 3 t.tfrecord -o e.jsonl && cmp e.jsonl 1.jsonl && echo as export has them
tfr export -q -j 3 --columns id,text,x t.tfrecord -o e.csv && cmp e.csv t.csv && echo the same table
tfr show -q -j 3 --json --skip 29998 t.tfrecord; tfr show -q -j 3 --json -n 2 t.tfrecord; tfr show -q --json --where 'id == 777' t.tfrecord
# Damage: all lines before it.
cp t.tfrecord d.tfrecord && printf '\377' | dd of=d.tfrecord bs=1 seek=1000000 conv=notrunc status=none
for j in 1 3; do tfr show -q -j $j --json d.tfrecord >d$j.jsonl; echo "status $?"; wc -l <d$j.jsonl; done; cmp d1.jsonl d3.jsonl
tfr show -j 2 t.tfrecord
tfr show -q --json t.tfrecord >/dev/full; echo "status $?"
