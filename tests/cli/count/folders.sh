# A folder without TFRecord files names those in it that have some, as TFX's Split-train and Split-eval.
mkdir -p tfx/Split-train tfx/Split-eval tfx/other
printf '{"a":1}\n' > l.jsonl && tfr shard -q l.jsonl -o tfx/Split-train/data_tfrecord-00000-of-00001
cp tfx/Split-train/* tfx/Split-eval; echo x > tfx/other/readme.txt
for c in count check doctor 'cat -q -o x'; do tfr $c tfx 2>&1; echo "status $?"; done
tfr count tfx/Split-eval > n && echo counted
tfr count tfx/other 2>&1; echo "status $?"
mkdir -p deep/a/b/c/d far/a/b/c/d/e old/x other/y
cp tfx/Split-eval/* deep/a/b/c/one.tfrecords; cp tfx/Split-eval/* far/a/b/c/d/one.tfrecord; cp tfx/Split-eval/* old/x/one.record; gzip < old/x/one.record > other/y/x.tfrecord.gz
for d in deep far old other; do tfr count $d 2>&1; tfr doctor -q $d 2>&1; done; tfr count -q deep/a/b/c old/x other/y
