# Records of one key are in one set, over files and shards, whatever the kinds of the key; equal contents too.
python3 "$TOOLS/labelled.py" one 0 1500 200; python3 "$TOOLS/labelled.py" two 1500 3000 200
tfr split -q one two --key key -o a@4=0.5 -o b@2=0.3 -o c@1
python3 - <<'P'
import glob, labelled
sets = [{i % 200 for i in labelled.ids(*glob.glob(s + '-*-of-*'))} for s in 'abc']
assert sum(map(len, sets)) == len(set.union(*sets)) == 200, [len(s) for s in sets]
assert all(len(s) > 10 for s in sets)
print('apart')
P
# Each record three times: an equal content is never torn apart.
tfr cat -q one two one two one -o thrice
tfr split -q thrice -o x=0.5 -o y
python3 - <<'P'
import labelled
x, y = list(labelled.ids('x')), list(labelled.ids('y'))
assert not set(x) & set(y) and len(x) + len(y) == 7500 and len(x) > 3000
print('together')
P
# Lists: ["ab", "c"] and ["a", "bc"] are two keys; int64 and float lists are keys as well.
python3 - <<'P'
import records as r
with open('lists', 'wb') as out:
    for i in range(400):
        k = i % 100
        out.write(r.frame(r.example({'i': r.int64_list([k, -k]), 'f': r.float_list([k / 3]), 'n': r.int64_list([i]),
                                     'b': r.bytes_list([b'x' * (k % 7), b'x' * (20 - k % 7), b'%d' % k])})))
P
for key in i f b; do
  tfr split -q -f lists --key $key -o p=0.5 -o q
  tfr show --json p | grep -o '"n": \[[0-9]*' | grep -o '[0-9]*$' | awk '{print $1 % 100}' | sort | uniq -c | awk '{print $1}' | sort -u
  tfr show --json p q | wc -l
done
# A key that is not there, unset or without a value: a bad record, which can be skipped.
python3 - <<'P'
import records as r
bad = [r.example({}), r.example({'k': b''}), r.example({'k': r.int64_list([])}), b'\xff\xff']
for n, payload in enumerate(bad):
    open('bad%d' % n, 'wb').write(r.frame(r.example({'k': r.int64_list([1])})) + r.frame(payload))
P
for n in 0 1 2 3; do
  tfr split bad$n --key k -o p1=0.5 -o q1 2> err; echo "status $?"; cat err; ls p1 q1 2> /dev/null
done
tfr split -f bad? --key k -o p=0.5 -o q --on-error skip 2> err; echo "status $?"; grep -o 'warning.*\|bad [0-9]*' err
tfr count p q
