# The first of each stays, in order: by content, by features of each kind; for any memory and any threads.
exec 2>&1
cat > make.py <<'P'
import random
from records import bytes_list, example, float_list, frame, int64_list
rng = random.Random(5)
def write(name, rows):
    open(name, 'wb').write(b''.join(frame(example(r)) for r in rows))
rows = [{'id': int64_list([rng.randrange(3000)]), 'text': bytes_list([b'%d' % rng.randrange(50)]), 'real': float_list([rng.randrange(9) / 4]), 'n': int64_list([k % 40])}
        for k in range(8000)]
rows[7000] = rows[3]
for k in range(4):
    write('in-%05d-of-00004' % k, rows[k * 2000:k * 2000 + 2000])
write('lists', [{'a': bytes_list([b'ab', b'c'])}, {'a': bytes_list([b'a', b'bc'])}, {'a': bytes_list([b'ab', b'c'])}, {'a': int64_list([1])}, {'a': float_list([1])}, {'a': int64_list([1])}])
write('alike', [{'a': bytes_list([b'ab', b'c'])}, {'a': bytes_list([b'\x02ab\x01c'])}, {'a': bytes_list([b'\x02ab\x01c'])}, {'a': int64_list([1])}, {'a': bytes_list([b'\x01' + bytes(7)])}, {'a': float_list([0.0])}, {'a': float_list([-0.0])}, {'a': bytes_list([bytes(4)])}])
write('lack', [{'a': int64_list([1])}, {'b': int64_list([1])}, {'a': int64_list([])}, {'a': int64_list([1])}, {'a': b''}])
write('empty', [])
P
python3 make.py
cat > law.py <<'P'
import json, subprocess, sys
def show(*paths):
    out = subprocess.run(['tfr', 'show', '--json', *paths], capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in out.splitlines()]
key, out, *paths = sys.argv[1:]
seen, want = set(), []
for row in show(*paths):
    k = json.dumps(row if key == 'content' else row[key], sort_keys=True)
    if k not in seen:
        want.append(row)
    seen.add(k)
print(key, len(want), show(out) == want)
P
for by in content id text real n; do tfr dedup in@4 -o out -f -q --key $by; python3 law.py $by out in@4; done
echo "memory and threads:"
for m in 1 300K 1G; do for j in 1 3; do tfr dedup in@4 -o out -f -q --key id -m $m -j $j --report r; md5sum < out; md5sum < r; done; done | sort | uniq -c | sed 's/ [0-9a-f]\{32\}//'
wc -l < r; head -n 2 r; tail -n 1 r; python3 -c '
import json, subprocess
def rows(f): return [json.loads(l)["id"] for l in subprocess.run(["tfr", "show", "--json", f], capture_output=True, text=True).stdout.splitlines()]
all_ = {"in-%05d-of-00004" % k: rows("in-%05d-of-00004" % k) for k in range(4)}
lines = [l.rstrip("\n").split("\t") for l in open("r")]
print(all(all_[a][int(i)] == all_[b][int(k)] and (b, int(k)) < (a, int(i)) for a, i, b, k in lines))'
tfr dedup in@4 -o out -f -q -m 1 --key id --json | python3 -c 'import json, sys; j = json.load(sys.stdin); print(j["records"], j["written"], j["duplicates"], j["groups"], j["temp_bytes"] > 0)'
echo "sets:"; tfr dedup in@4 -o set@3.tfrecord -q --key n; tfr count --per-file set@3.tfrecord; tfr check -q --manifest set@3.tfrecord && echo proven
tfr dedup in@4 -o - -q --key n | tfr count; tfr dedup in@4 -o out -f -q --key n --where 'n >= 30'; tfr count out
echo "lists:"; tfr dedup lists -o out -f --key a 2>&1 | sed 's/ in [0-9.]* s//'; tfr show --json out
echo "alike:"; tfr dedup alike -o out -f -q --key a --report r; cat r; tfr show --json out
echo "lack:"; tfr dedup lack -o out2 --key a; echo "status $?"; ls out2 2> /dev/null; tfr dedup lack -o out2 -q --key a --on-error quarantine=bad; tfr count out2; tfr count bad
tfr dedup in@4 -o out2 -f --key texts; echo "status $?"
echo "nothing:"; tfr dedup empty -o none --allow-empty 2>&1 | sed 's/ in [0-9.]* s//'; tfr count none
tfr cat in@4 -q -o gz.gz; tfr dedup gz.gz in@4 -o out -f -q; tfr dedup in@4 -o out3 -q; tfr count --sum out; tfr count --sum out3
echo "refused:"
tfr dedup in@4; echo "status $?"; tfr dedup in@4 -o out; echo "status $?"; tfr dedup -o out4 < lists; echo "status $?"; tfr dedup lists -o out4 --report out4; echo "status $?"
tfr dedup lists -o out4 --report r; echo "status $?"; cp lists cut; truncate -s -3 cut; tfr dedup lists cut -o out4 --report r2; echo "status $?"; ls out4 r2 .*tmp 2> /dev/null
