# A misspelt feature, set or path: the output is complete, the suggestion is printed, and the status is 1.
printf '{"label": 1, "text": "a"}\n{"label": 2, "text": "b"}\n{"label": 2, "text": "c"}\n' > in.jsonl
tfr shard -q -o in.tfrecord in.jsonl
run() { echo "\$ tfr $*"; tfr "$@" 2>&1 | sed 's/ ([0-9.]* s.*//'; echo "status ${PIPESTATUS[0]}"; }
run cat --where 'lable == 1' --allow-empty -q -o out1 in.tfrecord
run cat --where 'lable == 1 || label == 2' --raw -q -o out2 in.tfrecord
wc -c < out2
run cat --keep lable,text -q -o out3 in.tfrecord
run cat --drop lable -q -o out4 in.tfrecord
run cat --where 'lable == 1' -q --allow-empty --records 0-1 -o out5 in.tfrecord
run show --where 'texd == "a"' in.tfrecord
run count --where 'lable > 0' in.tfrecord
run count --by lable in.tfrecord
run count --by nothing-like-it in.tfrecord
run stats -q --order lable in.tfrecord
run schema -q --where 'lable > 0' in.tfrecord
run split -q --where 'lable == 2' --allow-empty -f -o a@2.tfrecord=0.5 -o b@2.tfrecord=0.5 in.tfrecord

echo '--- names whose absence is asked for are warned of'
for expr in 'exists(lable)' '!exists(lable)' 'lable != 3' 'len(lable) == 0' '!(lable == 3)' '!(label == 1 && lable == 3)'; do
  run count --where "$expr" in.tfrecord
done
run count --where 'size(lable) == 0 && exists(texd)' in.tfrecord

echo '--- sets and paths'
mkdir -p data
tfr cat -q -o data/train@2.tfrecord in.tfrecord
tfr cat -q -o data/val.tfrecord in.tfrecord
for name in data/train@2 data/nothing@2.tfrecord data/trian@2.tfrecord data/train@4.tfrecord 'data/trian@*.tfrecord' data/vel.tfrecord data/val \
    dta/val.tfrecord dta/train@2.tfrecord dta/vel.tfrecord data/nothing-like-it data/train-00000-of-00003.tfrecord in.tfrecrod \
    data/none/; do
  run count "$name"
done
