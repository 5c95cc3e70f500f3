# A feature that no record has is told of wherever one is named, with the name that was meant; the same by any
# number of threads, be that name in the last record only.
python3 - > set.jsonl << 'END'
for i in range(3000):
    print('{"image/class/label": %d, "score": 0.5, "text": "%s"%s}' % (i % 3, 'ab'[i % 2], ', "rare": 1' if i == 2999 else ''))
END
tfr shard -q set.jsonl -o s@3 || exit
say() { echo "== $*"; "$@" 2>&1 > /dev/null | grep -v ' read '; }
for j in 1 3; do say tfr count -j $j --where 'lable == 1 || raer == 1 || score > 0' s@3; done
say tfr count --by label s@3
say tfr count --by nothing s@3
say tfr count --by rare s@3
say tfr count --by rare --where 'rare == 7' s@3
say tfr cat s@3 --where scroe==1
say tfr cat s@3 --keep text,scroe
say tfr cat s@3 --drop txet
say tfr show s@3 --where 'exists(txet)'
say tfr schema s@3 --where scroe==1
say tfr stats s@3 --order label
say tfr stats s@3 --where scroe==1
say tfr export s@3 -o - --to csv --columns text,label
say tfr dedup s@3 -o out@3 --key txet
say tfr split s@3 -o a=0.5 -o b=0.5 --key txet
say tfr split s@3 -o a=0.5 -o b=0.5 --stratify label
say tfr resample s@3 -o out@3 --by label --target uniform
say tfr resample s@3 -o out@3 --class 'a=txet == "a"' --class 'b=text == "b"' --target b=1
say tfr shuffle s@3 -o shuffled@3 --where scroe==1
say tfr bench-feed s@3 --device host --feature 'lable:int64[1]'
say tfr bench-feed s@3 --device host --where 'lable == 1 || scroe > 0' --seconds 1
say tfr shard set.jsonl -o other@3 --types scroe=float
tfr shard -q set.jsonl -o - --to x 2>&1 | head -2
echo "-- words"
say tfr shard set.jsonl -o other@3 --from jsnol
say tfr export s@3 -o x --to webdatset
say tfr cat s@3 --compression gzp
say tfr cat s@3 --on-error qarantine=x
say tfr check s@3 --format junt
say tfr help shufle
ls out* a* b* other* x 2> /dev/null; true
