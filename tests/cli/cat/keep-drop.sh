# --keep and --drop: Examples with some of their features, in the form that Python gives them here.
python3 - <<'P'
import random, subprocess
import records
rng = random.Random(8)
names = ['a', 'b', 'b/c', 'with,comma', 'it\'s', 'ł', '', 'zz']


def feature():
    """A list may be empty, which is then no chunk at all."""
    count = rng.randrange(4)
    return rng.choice((
        lambda: records.int64_list([rng.randrange(2**63) for _ in range(count)]) if count else records.field(3, b''),
        lambda: records.float_list([float(rng.randrange(9)) for _ in range(count)]) if count else records.field(2, b''),
        lambda: records.bytes_list([rng.randbytes(rng.randrange(400)) for _ in range(count)])))()


def quoted(name):
    return '"%s"' % name if ',' in name or "'" in name or not name else name


def in_any_order(features):
    keys = rng.sample(list(features), len(features))
    return records.field(1, b''.join(records.entry(k.encode(), features[k]) for k in keys))


for n in range(40):
    examples = [{k: feature() for k in names[:-1] if rng.randrange(3)} for _ in range(5)]
    open('in', 'wb').write(b''.join(records.frame(in_any_order(e)) for e in examples))
    some = rng.sample(names, rng.randrange(1, 5))
    for option, stays in ('--keep', lambda k: k in some), ('--drop', lambda k: k not in some):
        done = subprocess.run(['tfr', 'cat', 'in', option, ','.join(map(quoted, some))], capture_output=True)
        unknown = [k for k in some if not any(k in e for e in examples)]
        if done.returncode != (option == '--keep' and unknown != []):
            print('another status', option, some, done.returncode)
        kept = [{k: v for k, v in e.items() if stays(k)} for e in examples]
        # An Example without any feature is an empty record.
        want = b''.join(records.frame(records.example(e) if e else b'') for e in kept) if not done.returncode else b''
        if done.stdout != want:
            print('other bytes', option, some)
        warned = sorted(line.split(" has '")[1][:-1] for line in done.stderr.decode().splitlines() if ' has ' in line)
        if warned != sorted(unknown):
            print('other warnings', option, some, warned)
P
# A name that no record has is an error before anything is published.
tfr cat "$DATA/kinds.tfrecord" --keep image/class/label,image/clas/text -o none.tfrecord 2>&1; echo "status $?"; ls
show() { tfr show -q --json "$@"; }
kinds="$DATA/kinds.tfrecord"
tfr cat -q "$kinds" --keep image/class/label,f | show
tfr cat "$kinds" --drop f,nothing,nothing,f 2>&1 > dropped | sed 's/in [0-9.]* s, .*/in N s/'
# --where sees the whole record; what is written has a checksum and a length of its own, in every form of output.
tfr cat -q "$kinds" --where 'image/class/label == 3' --keep image/class/text --limit 1 -o text && tfr check -q text && show text
tfr cat -q "$kinds" --where 'image/class/label == 3' --keep image/class/text --limit 1 --raw | cmp - <(tail -c +13 text | head -c -4)
tfr cat -q "$kinds" --where 'image/class/label == 3' --keep image/class/text --limit 1 --delimited | tail -c +2 | cmp - <(tail -c +13 text | head -c -4)
[ "$(tfr cat "$kinds" --keep f 2>&1 > f | sed 's/.*sum //')" = "$(tfr count --sum f | cut -f 2)" ] || echo another sum
# What is no Example.
tfr cat -q "$DATA/sequence.tfrecord" --keep a > out 2> err; echo "status $?"; sed "s,'/.*/,'," err
python3 "$DATA/records.py" write 'no Example' '' > mixed; tfr cat -q mixed --drop a > out; echo "status $?"
tfr cat mixed --drop a --on-error skip 2>&1 > out | sed 's/in [0-9.]* s, .*/in N s/'; tfr count out
for wrong in '' , a, ,a a,,b '"a' "a,'b" '"a"b' '"a",'; do tfr cat -q "$kinds" --keep "$wrong"; echo "status $?"; done 2>&1
tfr cat -q "$kinds" --keep a --drop b 2>&1; echo "status $?"
