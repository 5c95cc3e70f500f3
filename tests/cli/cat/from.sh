# --from lines and delimited: what comes out is what Python makes of the same bytes.
# A sanitizer needs more address space than there would be.
memory() { [ "${SANITIZED-}" ] || ulimit -v 200000; }
python3 - <<'P'
import random, subprocess
import records
rng = random.Random(9)


def cat(data, *options):
    """Through a file, and through a pipe, which gives the bytes in pieces."""
    open('in', 'wb').write(data)
    out = subprocess.run(['tfr', 'cat', '-q', '--allow-empty', 'in', *options], capture_output=True, check=True).stdout
    with subprocess.Popen(['cat', 'in'], stdout=subprocess.PIPE) as pieces:
        piped = subprocess.run(['tfr', 'cat', '-q', '--allow-empty', '-', *options], stdin=pieces.stdout, capture_output=True, check=True).stdout
    if piped != out:
        print('a pipe gives something else')
    return out


for n in range(30):
    sizes = [rng.choice((0, 1, 5, 127, 128, 300, 16384, 70_000)) for _ in range(rng.randrange(12))]
    payloads = [bytes([rng.randrange(256)]) * size for size in sizes]
    want = b''.join(map(records.frame, payloads))
    if cat(b''.join(records.varint(len(p)) + p for p in payloads), '--from', 'delimited') != want:
        print('delimited: other records', sizes)
    lines = [p.replace(b'\n', b'\r') for p in payloads]
    data = b''.join(p + b'\n' for p in lines)
    want = b''.join(map(records.frame, lines))
    if cat(data, '--from', 'lines') != want:
        print('lines: other records', sizes)
    if lines and lines[-1] and cat(data[:-1], '--from', 'lines') != want:
        print('lines: a last line without newline is lost', sizes)
    if cat(data, '--from', 'records', '--from', 'lines', '--delimited') != b''.join(records.varint(len(p)) + p for p in lines):
        print('lines: other payloads', sizes)
P
# A line longer than any block, in a file and in a pipe.
head -c 3000000 /dev/zero | tr '\0' x > long; echo >> long; echo short >> long
tfr cat -q --from lines long --raw | cmp - <(tr -d '\n' < long)
cat long | tfr cat -q --from lines - --raw | cmp - <(tr -d '\n' < long)
# There and back, compressed as the name says; text that looks like zlib or GZIP is text.
payloads="$DATA/payloads.tfrecord"
tfr cat -q "$payloads" --delimited | tfr cat -q --from delimited - | cmp - "$payloads"
tfr cat -q "$payloads" --delimited -o d.gz && gzip -t d.gz && tfr cat -q --from delimited d.gz | cmp - "$payloads"
tfr cat -q "$payloads" --delimited -z zlib -o d && tfr cat -q --from delimited --compression zlib d | cmp - "$payloads"
printf 'x^2 + y\n\037\213\010 no gzip\n' > odd; tfr cat -q --from lines odd --delimited | od -An -c
# Order of selection, and numbers, are those of records.
seq 0 9 > ten; seq 10 19 > more
tfr cat -q --from lines ten more --interleave 2,2 --records 2- --every 3 --skip 1 --limit 3 --raw; echo
tfr cat --from lines "$DATA/empty.tfrecord" ten 2>&1 > /dev/null | sed "s,'/.*/,',; s/in [0-9.]* s, .*/in N s/"
# Lengths that lie cost nothing; what cannot be gone on with ends that file only.
python3 - <<'P'
import records
for name, data in (('past', records.varint(2**40) + b'spam'), ('huge', b'\xff' * 9 + b'\x01spam'), ('over', b'\xff' * 9 + b'\x02spam'),
                   ('eleven', b'\x80' * 10 + b'\x01'), ('open', b'\x02ok\x80\x80'), ('cut', b'\x02ok\x05spam')):
    open(name, 'wb').write(data)
P
for file in past huge over eleven open cut; do
  (memory; tfr cat -q --from delimited $file --raw; echo " status $?") 2>&1
  (memory; tfr cat -q --from delimited - --raw < <(cat $file); echo " status $?") 2>&1
done
tfr cat --from delimited cut cut --raw --on-error skip 2>&1 | sed 's/in [0-9.]* s, .*/in N s/'
tfr cat --from text ten 2>&1; echo "status $?"
