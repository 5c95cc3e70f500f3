# --on-error quarantine=FILE: the bad spans as they lie, the rest in the output; both whole or absent.
python3 - <<'P'
import gzip, os, random, subprocess
import records
rng = random.Random(10)


def cat(name, *options):
    done = subprocess.run(['tfr', 'cat', '-q', '-f', '--on-error', 'quarantine=bad', *name, '-o', 'good', *options], capture_output=True)
    return done.returncode, open('good', 'rb').read(), open('bad', 'rb').read()


for n in range(40):
    spans = []   # (whether it is good, its bytes)
    for k in range(rng.randrange(2, 12)):
        frame = records.frame(rng.randbytes(rng.choice((0, 1, 40, 3000))))
        fault = rng.choice(('', '', '', 'payload', 'length', 'garbage'))
        if fault == 'payload':   # any byte behind the header
            at = rng.randrange(12, len(frame))
            spans.append((False, frame[:at] + bytes([frame[at] ^ 1 << rng.randrange(8)]) + frame[at + 1:]))
        elif fault == 'length' and spans:   # the first header of a file says what kind of file it is
            at = rng.randrange(12)
            spans.append((False, frame[:at] + bytes([frame[at] ^ 1 << rng.randrange(8)]) + frame[at + 1:]))
        else:
            spans.append((True, frame))
            if fault == 'garbage':
                spans.append((False, rng.randbytes(rng.choice((1, 11, 12, 500)))))
    if rng.randrange(2):   # cut off in a header, or behind one
        spans.append((False, records.frame(rng.randbytes(100))[:rng.choice((5, 12, 90))]))
    good, bad = (b''.join(s for g, s in spans if g == which) for which in (True, False))
    open('in', 'wb').write(b''.join(s for _, s in spans))
    open('in.gz', 'wb').write(gzip.compress(open('in', 'rb').read()))
    for name in 'in', 'in.gz':
        if cat([name]) != (0, good, bad):
            print(name, 'divided otherwise', [(g, len(s)) for g, s in spans])
    if cat(['in', '-']) != (0, good, bad):
        print('divided otherwise with an empty input behind it')
P
rm -f in in.gz good bad
# What --where and --keep cannot parse is whole, and comes out of the quarantine as the records that they were.
python3 "$DATA/records.py" write 'no Example' 'nor this' > none
tfr cat -q none "$DATA/kinds.tfrecord" --where 'f > 1' --on-error quarantine=aside -o out && cmp aside none; rm aside
tfr cat -q none "$DATA/kinds.tfrecord" --keep f --on-error quarantine=aside -o out -f && cmp aside none; rm aside
printf 'no Example\nnor this\n' > lines
tfr cat -q --from lines lines --keep f --on-error quarantine=aside -o out -f && cmp aside lines; rm aside
tfr cat -q none --delimited > delimited
tfr cat -q --from delimited delimited --keep f --shuffle-buffer 1 --on-error quarantine=aside -o out -f && cmp aside delimited; rm aside
printf 'left over' >> delimited
tfr cat -q --from delimited delimited --on-error quarantine=aside --raw; echo; cat aside; echo; rm aside
# Nothing bad: an empty file.  A damaged compressed stream: what came out of it and is no whole record.
tfr cat -q none --on-error quarantine=aside -o out -f; wc -c < aside; rm aside
gzip -c "$DATA/members.tfrecord" | head -c 500 > cut.gz
tfr cat -q cut.gz --on-error quarantine=aside -o out -f; echo "status $?"
gzip -dc cut.gz 2> /dev/null | head -c $(($(stat -c %s out) + $(stat -c %s aside))) | cmp - <(cat out aside); rm aside
# Not overwritten; nothing is left of a run that failed; the output's own name is refused.
echo mine > mine
tfr cat -q none --on-error quarantine=mine -o new 2>&1; echo "status $?"; cat mine
tfr cat -q none missing --on-error quarantine=aside -o new 2>&1; echo "status $?"
tfr cat -q none "$DATA/README.md" --on-error quarantine=aside -o new > /dev/null 2>&1; echo "status $?"
tfr cat -q none --on-error quarantine=new -o new 2>&1; echo "status $?"
for wrong in quarantine quarantine= quarantined=x; do tfr cat -q none --on-error $wrong 2>&1; echo "status $?"; done
ls -A
