# One JSON object; the same for any number of threads; names that a shell and a terminal would stumble over.
exec 2>&1
python3 - <<'P'
from records import bytes_list, example, frame, int64_list
import os, random
random.seed(1)
def write(name, labels):
    open(name, 'wb').write(b''.join(frame(example({'label': int64_list([c]), 'x': bytes_list([b'%s%d' % (os.fsencode(name), i)])})) for i, c in enumerate(labels)))
for k in range(7):
    write('t-%05d-of-00007' % k, [k] * 600)
os.mkdir('odd'); write("odd/it's \x1b[1m$HOME\n`x`-00000-of-00001", [0] * 30); write('odd/-f.tfrecord', [1] * 20); write('odd/--', [1] * 3); write(os.fsdecode(b'odd/caf\xe9'), [1] * 20)
P
tfr doctor --json t@7; echo "status $?"
tfr doctor --json t@7 | python3 -c 'import json, sys; print(sorted(json.load(sys.stdin)))'
for j in 1 2 7; do tfr doctor --json -j $j t@7 odd | md5sum; tfr doctor -q -j $j --sample-size 30K t@7 odd | md5sum; done | sort | uniq -c | awk '{ print $1 }'
echo "odd names:"; tfr doctor -q odd | cat -v
(cd odd; tfr doctor -q -- -f.tfrecord | cat -v; tfr doctor -q . | grep -- ' -f')
python3 "$TOOLS"/fix.py no-manifest odd | cat -v | tail -n 1
cd odd; python3 "$TOOLS"/fix.py one-class ./-f.tfrecord
