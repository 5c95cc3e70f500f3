# Classes: found by their names or given, absent, one alone, skewed; and whether their order is random enough.
exec 2>&1
fix() { python3 "$TOOLS"/fix.py "$@"; }
python3 - <<'P'
from records import bytes_list, example, float_list, frame, int64_list
import random
random.seed(1)
def write(name, labels, feature='image/class/label', **more):
    records = [example({**({feature: int64_list([c])} if c is not None else {}), 'x': bytes_list([b'%s %d' % (name.encode(), i)]), **more}) for i, c in enumerate(labels)]
    for k in range(2):
        open('%s-%05d-of-00002' % (name, k), 'wb').write(b''.join(map(frame, records[k * len(records) // 2:(k + 1) * len(records) // 2])))
mixed = [i % 10 for i in range(4000)]; random.shuffle(mixed)
write('good', mixed); write('sorted', sorted(mixed)); write('again', sorted(mixed)); write('again-bursts', [i // 20 % 10 for i in range(4000)]); write('bursts', [i // 20 % 10 for i in range(4000)])
write('skew', [0] * 900 + [1] * 90); write('one', [7] * 100); write('gaps', mixed[:50] + [None] * 3)
write('named', sorted(mixed), 'odd "name'); write('height', sorted(mixed), 'image/height', label_text=bytes_list([b'cat']))
write('ids', range(100), 'label'); write('list', mixed[:100], 'image/height', label=int64_list([1, 2])); write('few', sorted(mixed[:100]))
P
echo "good:"; tfr doctor -q good@2; echo "status $?"; tfr doctor --json good@2 | grep label
echo "order:"; fix order sorted@2; tfr doctor -q sorted@2 | grep order
echo "short bursts:"; tfr doctor -q again-bursts@2 | grep -c order; tfr doctor -q few@2 | grep -c order
echo "found by its name alone:"; for s in height ids list; do tfr doctor --json $s@2 | grep '"label"\|"order"'; done; fix order --label=image/height height@2
echo "no-label:"; fix no-label --label=nosuch good@2
echo "unlabelled:"; fix unlabelled gaps@2
python3 - <<'P'
from records import example, frame, int64_list
open('odd', 'wb').write(b''.join(frame(example({'odd name': int64_list([1]), 'i': int64_list([i])} if i else {'i': int64_list([0])})) for i in range(9)))
P
fix unlabelled '--label=odd name' odd
echo "one-class:"; fix one-class one@2
echo "skew:"; fix skew skew@2
