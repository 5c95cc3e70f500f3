# A feature of two kinds, named with the first record of each; drift between files; the same for any number of threads.
exec 2>&1
python3 - <<'P'
from records import bytes_list, example, float_list, frame, int64_list
def write(name, *examples):
    open(name, 'wb').write(b''.join(frame(example(e)) for e in examples))
i, f, b = int64_list, float_list, bytes_list
plain = {'label': i([1]), 'box': f([0] * 4)}
for k in range(8):
    write('s-%05d-of-00008' % k, *[plain] * 20)
write('s-00003-of-00008', *[{'label': i([1])}] * 20)                        # box is absent
write('s-00005-of-00008', *[{**plain, 'box': f([0] * 3)}] * 20)             # another length
write('s-00006-of-00008', *[{**plain, 'more': i([])}] * 20)                 # one more
write('two', plain, plain, {'label': f([1])}, {'label': b([b'x'])}, {'label': f([1])})
write('empty')
write('some-0', *[plain, {'label': i([1])}] * 10); write('some-1', *[plain] * 20); write('ragged', *[{'label': i([1] * n)} for n in range(5)])
P
echo "drift:"; tfr schema s@8; echo "status $?"; tfr schema --json s@8 | sed -n '/drift/,$p'
echo "kinds:"; tfr schema s@8 two empty; echo "status $?"; tfr schema -q --emit python two > out; echo "status $? $(wc -c < out)"
tfr schema -q --json two | grep -A3 '"kinds"\|contradictions'
echo "no drift:"; tfr schema some-0 some-1 | tail -n 2; tfr schema ragged s-00000-of-00008 | tail -n 2
for j in 1 2 7; do tfr schema -j $j --json s@8 two some-0 ragged 2>&1 | md5sum; done | uniq | wc -l
echo "a part:"; tfr cat -q --limit 2 two | tfr schema; tfr schema --first 3 two; echo "status $?"; tfr schema --sample 3 two; echo "status $?"
echo "where:"; tfr schema --where 'label == 1' two
