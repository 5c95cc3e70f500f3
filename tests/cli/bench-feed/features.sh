# Batches of features without an image: dense, padded and ragged in one block.
python3 - <<'P'
import records
with open('f.tfrecord', 'wb') as f:
    for n in range(10):
        f.write(records.frame(records.example({'id': records.int64_list([n]), 'pair': records.float_list([n, -n]),
                                               'many': records.int64_list(range(n % 4))})))
P
feed() { tfr bench-feed -q --device host --json --batch 4 --shuffle-buffer 0 "$@" f.tfrecord > out 2> err; echo "status $?"; cat err; [ ! -s out ] || python3 -c 'import json; j = json.load(open("out")); print(j["pipeline"]); print(j["first_batch"], j["records"], "records,", j["skipped"], "skipped")'; }
feed --feature id:int64 --feature 'pair:float[2]' --feature 'many:int64[]'
feed --feature 'many:int64[*]' --where 'id > 3'
feed --feature 'many:int64[2]' --on-error skip -q
feed --feature id:float
feed --feature 'id:int64[x]'
feed --feature id:int64 --feature id:int64
feed --feature nothing:int64
feed --feature idd:int64
feed --feature id:int64 --feature 'mani:int64[]'
