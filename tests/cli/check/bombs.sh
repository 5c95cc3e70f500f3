# A small compressed file that holds a great deal: memory grows with what a record has brought, and what does not fit is refused by name.
[ -n "${SANITIZED-}" ] && { echo 'a limit on memory is not for sanitizers'; exit 77; }
python3 - <<'P'
import zlib
import records
def bomb(name, head, megabytes, tail=b''):
    for bits, suffix in (31, '.gz'), (15, '.z'):
        z = zlib.compressobj(6, zlib.DEFLATED, bits)
        with open(name + suffix, 'wb') as f:
            f.write(z.compress(head))
            for _ in range(megabytes):
                f.write(z.compress(bytes(1 << 20)))
            f.write(z.compress(tail) + z.flush())
good = records.frame(records.example({'a': records.int64_list([1])}))
bomb('zeros', b'', 80)                                              # not one record
bomb('forged', good + records.header(1 << 40), 80)                  # a length that cannot be
bomb('record', good + records.header(80 << 20), 80, b'1234' + good)   # a record that there is
with open('many.gz', 'wb') as f:                                     # 1.3 million empty records, 21 MB out of 0.02
    z = zlib.compressobj(6, zlib.DEFLATED, 31)
    empty = records.frame(b'') * 65536
    for _ in range(20):
        f.write(z.compress(empty))
    f.write(z.flush())
P
# Two processors: each thread takes address space for its stack.
python3 -c 'import os; os.sched_setaffinity(os.getppid(), sorted(os.sched_getaffinity(0))[:2])'
ulimit -v 110000
say() {
  tfr "${@:2}" "$1" > out 2> err
  echo "$1 ${*:2}: $? $(head -c 130 out | tr '\0\n' '0|') $(tr '\n' '|' < err)"
}
for f in zeros forged record; do
  for c in 'count' 'count --sum' 'check -q' 'check -q --strict --example' 'cat -q -o - -f' 'show -q --as raw'; do say $f.gz $c; done
  say $f.z check -q --strict
done
tfr count many.gz; tfr check -q many.gz; echo "status $?"; tfr cat -q many.gz -o - -f | wc -c
# One limit for all commands that read payloads, on compressed and sparse files, and in a resync; -m moves it.
python3 - <<'P'
import records, zlib
good = records.frame(records.example({'a': records.int64_list([1])}))
for bits, name in (31, 'large.gz'), (15, 'large.z'):
    z = zlib.compressobj(1, zlib.DEFLATED, bits)
    open(name, 'wb').write(z.compress(good + records.header(3 << 29) + bytes(1 << 20)) + z.flush())
with open('large', 'wb') as f:
    f.write(good + records.header(3 << 29))
    f.truncate(len(good) + 16 + (3 << 29))
P
limited() {
  tfr $1 "${@:2}" > out 2>&1; echo "$1 ${*:2}: $? $(grep -c 'larger than the limit' out) $(grep hint out)"
}
for f in large large.gz; do
  for c in 'check -q' 'check -q --example' 'count --sum' 'cat -q -o -' 'show -q' 'doctor -q' 'stats -q' 'schema -q' 'repair -q -o r -f' 'repair -q --dry-run' \
    'export -q --to jsonl -o x -f' 'split -q -f -o s=0.5 -o t' 'dedup -q -o d -f' 'diff -q many.gz' 'shard -q -o sh -f'; do limited "$c" $f; done
done
(head -c 3000000 /dev/zero | tr '\0' a; echo) | limited 'cat -q --from lines -m 2M -o' lines -
for c in 'check -q' 'count --sum' 'stats -q' 'repair -q --dry-run'; do limited "$c -m 64M" record.gz; done
cp "$DATA/kinds.tfrecord" small; limited 'check -q -m 1' small
limited 'check -q' large.z
