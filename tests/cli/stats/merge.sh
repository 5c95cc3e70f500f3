# What is merged is what one pass over all gives, to the byte; for any number of threads and any division.
exec 2>&1
python3 - <<'P'
import random
from records import bytes_list, example, float_list, frame, int64_list
rng = random.Random(1)
for name, n in (('a', 3000), ('b', 100), ('c', 2000)):
    data = b''
    for k in range(n):
        row = {'label': int64_list([rng.randrange(4)]), 'id': int64_list([rng.getrandbits(60)]), 'score': float_list([rng.gauss(0, 1) for _ in range(3)]),
               'word': bytes_list([b'w%d' % (rng.randrange(3000) if rng.random() < .8 else 5)])}
        if name == 'b':
            row['only'] = float_list([1])
        data += frame(example(row))
    open(name, 'wb').write(data)
P
for f in a b c; do tfr stats --json $f > $f.json; done; tfr stats --json a b c > all.json
tfr stats --merge --json a.json b.json c.json | cmp - all.json && echo "merged: same"
tfr stats --merge --json c.json a.json > ca.json; tfr stats --merge --json b.json ca.json | cmp - all.json && echo "in another order: same"
tfr stats --merge a.json b.json c.json | cmp - <(tfr stats a b c) && echo "text: same"
tfr cat c a -o ca -q; tfr stats --json b ca | sed 's/"files": .*/"files"/; /"state"/d' | cmp - <(sed 's/"files": .*/"files"/; /"state"/d' all.json) && echo "divided otherwise: same figures but for the draw"
for j in 1 2 3 8; do tfr stats -j $j --json a b c | md5sum; done | uniq | wc -l
tfr stats --merge a.json | head -n 11
tfr stats -z 2> /dev/null; echo "status $?"
echo "refused:"
tfr stats --merge; echo "status $?"; tfr stats --merge a; echo "status $?"; tfr stats --merge nosuch; echo "status $?"
echo '{"state": 1}' > w; tfr stats --merge w; echo "status $?"; echo '{"state": "!!!!"}' > w; tfr stats --merge w; echo "status $?"
echo '{"state": "AAAA"}' > w; tfr stats --merge w; echo "status $?"; echo '{"state": ""}' > w; tfr stats --merge w; echo "status $?"; : > w; tfr stats --merge w; echo "status $?"
head -c 5000 a.json > w; tfr stats --merge a.json w; echo "status $?"
sed 's/"state": "\(......\)/"state": "\1AAAA/' a.json > w; tfr stats --merge w; echo "status $?"
python3 - <<'P'
import base64, json
said = json.load(open('a.json'))
state = bytearray(base64.b64decode(said['state']))
def write(name, **other):
    json.dump({**said, **other}, open(name, 'w'))
bad = 0
import subprocess
for at in range(0, len(state), max(1, len(state) // 50)):
    for bit in (1, 128):
        state[at] ^= bit
        write('w', state=base64.b64encode(state).decode())
        bad += subprocess.run(['tfr', 'stats', '--merge', 'w'], capture_output=True).returncode == 1
        state[at] ^= bit
print('bits flipped:', bad == 2 * len(range(0, len(state), max(1, len(state) // 50))))
write('newer', version=4)
P
tfr stats --merge a.json newer; echo "status $?"
tfr stats --merge --where x a.json; echo "status $?"; tfr stats --merge --order x a.json; echo "status $?"
