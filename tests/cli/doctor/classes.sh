# Classes of sets that are not shuffled: no skew where there is none, in everything and in a sample; images without objects are no fault.
exec 2>&1
python3 - <<'P'
from records import bytes_list, example, float_list, frame, int64_list
import random
rng = random.Random(1)
def write(name, shards, records):
    for k in range(shards):
        open('%s-%05d-of-%05d' % (name, k, shards), 'wb').write(b''.join(map(frame, records[k::shards])))
def record(c, size):
    return example({'image/class/label': int64_list([c]), 'x': bytes_list([rng.randbytes(size)])})
# 30 classes of 400 in their order, of records that are small and large by class
write('even', 4, [record(c, 200 + 300 * (c % 10)) for c in range(30) for _ in range(400)])
write('skewed', 4, [record(0, 900) for _ in range(9000)] + [record(1 + i % 2, 900) for i in range(400)])
def boxes(n, label=False):
    more = {'image/class/label': int64_list([1 + n % 2])} if label else {}
    return example({**more, 'x': bytes_list([rng.randbytes(100)]), **({'image/object/class/label': int64_list([3] * n), 'image/object/bbox/xmin': float_list([.5] * n)} if n else {})})
for k in range(4):
    open('boxes-%05d-of-00004' % k, 'wb').write(b''.join(frame(boxes(1 if i % 3 and k else 0)) for i in range(60)))
P
run() { tfr doctor -q "$@" | grep -v '^note: no-manifest' | grep -A3 '^error\|^warning\|^note'; echo "status ${PIPESTATUS[0]}"; }
echo "all:"; run even@4
echo "a sample:"; run --sample-size 3M even@4 | grep -v '^  \|^--'; run --sample-size 7M skewed@4; run skewed@4
echo "boxes:"; run boxes@4; run --label image/object/class/label boxes@4
echo "order:"
python3 - <<'P'
from records import bytes_list, example, frame, int64_list
import random
random.seed(2)
for k in range(64):   # each shard is well mixed, but all of them go from class to class together
    labels = [c for c in range(40) for _ in range(10)]
    open('phase-%05d-of-00064' % k, 'wb').write(b''.join(frame(example({'label': int64_list([c]), 'x': bytes_list([b'%d %d' % (k, i)])})) for i, c in enumerate(labels)))
P
tfr doctor -q phase@64 | sed -n '/order/,/fix/p'; tfr stats --order label phase@64 | head -n 11
echo "a set with labels:"
for k in 0 1 2 3; do cp even-0000$k-of-00004 with-0000$k-of-00004.tfrecord; done; printf '0:a\n' > with.4-tfrecord.labels.txt
python3 "$TOOLS"/fix.py order with@4.tfrecord | tail -n 2; cat with.4-tfrecord.labels.txt
