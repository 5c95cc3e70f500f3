# Features that differ, and records that are there twice.
exec 2>&1
fix() { python3 "$TOOLS"/fix.py "$@"; }
python3 - <<'P'
from records import bytes_list, example, float_list, frame, int64_list
def write(name, *payloads):
    open(name, 'wb').write(b''.join(map(frame, payloads)))
def some(n, at=0, **more):
    return [example({'x': bytes_list([b'%d' % (i + at)]), 'n': int64_list([i + at]), **more}) for i in range(n)]
for k in range(4):
    write('good-%05d-of-00004' % k, *some(20, 20 * k))
    write('drift-%05d-of-00004' % k, *some(20, 20 * k, **({'more': int64_list([1])} if k == 2 else {})))
write('kinds', *some(5), example({'x': bytes_list([b'y']), 'n': float_list([1])}))
write('raw', *[b'raw %d' % i for i in range(9)])
write('train', *some(30)); write('validation', *some(10, 27)); write('test', *some(10, 50)); write('copy', *some(30))
write('twice', *some(10), *some(3))
P
echo "good:"; tfr doctor -q good@4 raw; echo "status $?"
echo "two-kinds:"; fix two-kinds kinds
echo "drift:"; fix drift drift@4; echo "of two files:"; tfr doctor -q drift-0000[12]*
echo "leak:"; tfr doctor -q train test; echo "status $?"; fix leak train validation test
echo "copies:"; fix copies train copy
echo "duplicates:"; fix duplicates twice; tfr doctor -q twice; echo "status $?"
