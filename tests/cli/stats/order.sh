# How well a set is mixed: sorted, dealt in turn, shuffled; and which buffer would do.
exec 2>&1
python3 - <<'P'
import random
from records import bytes_list, example, float_list, frame, int64_list
def write(name, labels, kind=lambda v: int64_list([v])):
    open(name, 'wb').write(b''.join(frame(example({'label': kind(v)} if v is not None else {'x': int64_list([1])})) for v in labels))
n = 8000
sorted_ = [k * 10 // n for k in range(n)]
write('sorted', sorted_)
write('turns', [k % 10 for k in range(n)])
random.Random(3).shuffle(sorted_)
write('shuffled', sorted_)
blocks = [k // 200 for k in range(n)]; order = list(range(40)); random.Random(4).shuffle(order)
write('blocks', [order[b] % 10 for b in blocks], lambda v: bytes_list([b'class %d' % v]))
write('few', [1, None, 1, 2]); write('one', [5] * 200); write('many', range(66000)); write('none', [None] * 3)
P
for f in sorted turns shuffled blocks few one none; do echo "$f:"; tfr stats --order label $f | sed '/^$/,$d'; done
echo "batches of 256, a buffer of 64:"; tfr stats --order label --batch 256 --shuffle-buffer 64 blocks | head -n 3
tfr stats --json --order label sorted | python3 -c 'import json, sys; o = json.load(sys.stdin)["order"]; print(o["longest_run"], round(o["position"], 3), o["enough"], sorted(o))'
tfr stats --order lable few | sed "/^$/,\$d"
for j in 1 2 5; do tfr stats -j $j --json --order label sorted shuffled turns | md5sum; done | uniq | wc -l
tfr stats --order label many > /dev/null; echo "status $?"
echo "files side by side:"
python3 - <<'P'
from records import example, frame, int64_list
for k in range(20):   # sorted; all files from class to class together; every file of a few classes
    for name, labels in ('a', [k // 2] * 300), ('b', [c for c in range(10) for _ in range(30)]), ('c', [k % 10] * 300):
        open('%s-%05d-of-00020' % (name, k), 'wb').write(b''.join(frame(example({'label': int64_list([c])} if i % 7 else {})) for i, c in enumerate(labels)))
P
for f in a b c; do tfr stats --order label --shuffle-buffer 500 $f@20 | head -n 5; done; tfr stats --order label a-00000-of-00020 a-0000[123]* | sed -n 3p
echo "usage:"; tfr stats --batch 3 few; echo "status $?"; tfr stats --order label --batch 0 few; echo "status $?"; tfr stats --order label < few; echo "status $?"; tfr stats --order label - < few; echo "status $?"
