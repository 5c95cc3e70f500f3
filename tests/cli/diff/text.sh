# What is told for a person: schema, values, records, changed features, order, overlap; and what is refused.
exec 2>&1
cat > make.py <<'P'
from records import bytes_list, entry, example, field, float_list, frame, int64_list
i, f, b = int64_list, float_list, bytes_list
def write(name, rows):
    open(name, 'wb').write(b''.join(frame(example(r)) for r in rows))
a = [{'id': i([k]), 'label': i([k % 4]), 'text': b([b'w%d' % (k % 5)]), 'box': f([k, k / 2]), 'gone': i([1]), 'some': i([k])} for k in range(40)]
c = [dict(r) for r in a]
write('same-00000-of-00002', a[::-2]); write('same-00001-of-00002', a[-2::-2])
for k, r in enumerate(c):
    del r['gone']
    r['new\n'] = i([])
    r['text'] = b([b'\xff\x00%d' % k])
    r['box'] = f([1] * (k % 3))
    if k % 4 == 0:
        del r['some']
    if k < 10:
        r['label'] = i([3])
write('a', a); write('b', c[1:] + [{'id': i([100])}])
write('two', [{'x': i([1])}, {'x': f([1])}]); write('one', [{'x': i([1])}])
c = [dict(r) for r in a]
c[3]['label'] = i([9]); del c[4]['box']; c[5]['extra'] = i([1]); c[6]['text'] = b([b'w1', b''])
write('little', c[2:] + [c[39], c[39]])
open('other', 'wb').write(b''.join(frame(b''.join(field(1, entry(n.encode(), v)) for n, v in reversed(r.items()))) for r in a))
open('raw', 'wb').write(frame(b'just bytes') + frame(b'more')); open('raw2', 'wb').write(frame(b'just bytes'))
open('sequence', 'wb').write(frame(field(1, entry(b'x', i([1]))) + field(2, entry(b'frames', field(1, i([1]))))))
write('float', [{'x': f([1])}]); write('bytes', [{'y': i([1])}, {'x': b([b'1'])}]); write('byte', [{'x': b([b'1'])}]); write('empty', [])
write('many', [{'x': i([1])} | {'f%d' % n: i([0]) for n in range(65536)}]); write('more', [{'x': i([1])} | {'f%d' % n: i([1]) for n in range(65536)}])
write('lack', [{'x': i([1])}, {'y': i([1])}, {'x': i([])}])
P
python3 make.py
show() { tfr diff "$@"; echo "status $?"; }
echo "same:"; show a same@2; show -q --only records a same@2; tfr cat -q a -o z.gz; show -q --only schema,values a z.gz | head -n 4
echo "different:"; show a b -n 2
echo "only:"; show --only schema a b | tail -n 3; show --only values a b -n 0 | tail -n 4; show --only values --threshold 0.7 a b | tail -n 3; show --only values --threshold 1 a b | tail -n 3
echo "key:"; show --only records --key id a little
echo "written differently:"; show a other -n 1; show --features a other | tail -n 2; show --only records --key id a other -n 1
echo "order:"; show --ordered --only records a same@2 -n 1; show --ordered --only records a z.gz; show --ordered --only records --key id a little -n 0
echo "overlap:"; show --overlap a little -n 2; show --overlap --key text a little -n 1; show --overlap a b; show --overlap --features a other -n 1; show --overlap --key x two bytes
echo "where:"; show --only records --where 'id < 3' a little; show --where 'nothing == 3' a little
echo "raw:"; show raw raw2; show --only records raw raw2; show --overlap raw raw2; show -j 1 --on-error skip raw raw2
echo "sequence:"; show sequence one
echo "kinds:"; show one two; show --key x one two; show --key x one byte; show --overlap --key x byte one; show --key x one bytes; show --key x float one; show --key x -q --on-error skip lack one; show --key x lack one; show --key idd a b
echo "many features:"; show --only records --key x many more
echo "empty:"; show empty one; show empty raw -q
echo "pipes:"; tfr cat -q a | show --only records - same@2; tfr cat -q a | show --only schema,values - same@2; tfr cat -q a | show --overlap b - -n 0
tfr cat -q a | show - same@2; tfr cat -q a | show --only records --key id - same@2; show - - < a
echo "refused:"; show a; show a b little; show a a; ln -s a link; show link a; show --only records,colour a b; show --only '' a b; show --overlap --only schema a b; show --overlap --ordered a b
show --only schema --key id a b; show --only records --threshold 1 a b; show --threshold 2 a b; show --overlap --key id --features a b; show a nowhere; show --where '((' a b
echo "damaged:"; cp b cut; truncate -s -3 cut; show a cut; show a cut --on-error skip -n 0 | head -n 3; printf x | dd of=cut bs=1 seek=200 conv=notrunc status=none; show --only records a cut -j 1 --on-error skip -n 0 | head -n 5
echo "temporary:"; python3 -c '
from records import example, frame, int64_list
open("many", "wb").write(b"".join(frame(example({"x": int64_list([k])})) for k in range(30000)))
open("more", "wb").write(b"".join(frame(example({"x": int64_list([k * 7 % 29999])})) for k in range(29000)))'
TMPDIR=nowhere show --only records many a -m 1; TMPDIR=. show --only records many a -m 1 -n 0; ls -A | grep tmp; true
echo "memory and threads:"; for m in 1 300K 1G; do for j in 1 4; do tfr diff --json -m $m -j $j many more | md5sum; tfr diff --ordered --key x -m $m -j $j many more | md5sum; done; done | sort | uniq -c | sed 's/[0-9a-f]\{32\}//'
