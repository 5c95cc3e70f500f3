# --on-error quarantine=FILE: the bad spans as they lie, in the order of the inputs, for any -j and -m; the rest is shuffled as ever.
python3 - <<'P'
import gzip, random, subprocess
import records
rng = random.Random(10)


def spans_of(count):
    spans = []   # (whether it is good, its bytes)
    for k in range(count):
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
                spans.append((False, rng.randbytes(rng.choice((1, 11, 12, 500, 70000, 3000000 if rng.random() < 0.3 else 5)))))
    if rng.randrange(2):   # cut off in a header, or behind one
        spans.append((False, records.frame(rng.randbytes(100))[:rng.choice((5, 12, 90))]))
    return spans


def run(*arguments):
    done = subprocess.run(['tfr', *arguments], capture_output=True)
    assert done.returncode == 0, done
    return done.stdout


for n in range(12):
    spans = [spans_of(rng.randrange(2, 40)) for _ in range(rng.randrange(1, 4))]
    names = ['in%d' % k + rng.choice(('', '.gz')) for k in range(len(spans))]
    for name, file in zip(names, spans):
        data = b''.join(s for _, s in file)
        open(name, 'wb').write(gzip.compress(data, 1) if name.endswith('.gz') else data)
    good, bad = (b''.join(s for file in spans for g, s in file if g == which) for which in (True, False))
    open('good', 'wb').write(good)
    want = run('shuffle', '-q', *names, '--on-error', 'skip', '-o', '-')
    assert len(want) == len(good)
    for options in ['-j1'], ['-j2'], ['-j5', '-m', '8M']:
        out = run('shuffle', '-q', '-f', *names, '--on-error', 'quarantine=bad', '-o', '-', *options)
        if out != want or open('bad', 'rb').read() != bad:
            print(options, 'divided otherwise', [(g, len(s)) for file in spans for g, s in file])
P
rm -f in* good bad
# What --where cannot parse is whole, and comes out as the records that they were.
python3 "$DATA/records.py" write 'no Example' 'nor this' > none
tfr shuffle -q none "$DATA/kinds.tfrecord" --where 'f > 1' --on-error quarantine=aside -o out && cmp aside none; rm aside out
# Nothing bad: an empty file.  Not overwritten; nothing is left of a run that failed; the output's own name is refused.
exec 2>&1
tfr shuffle -q none --on-error quarantine=aside -o out; wc -c < aside
tfr shuffle -q none --on-error quarantine=aside -o new; echo "status $?"
cp "$DATA/README.md" .
tfr shuffle -q none README.md --on-error quarantine=aside -f -o new; echo "status $?"; wc -c < aside
tfr shuffle -q none --on-error quarantine=new -o new; echo "status $?"
tfr shuffle -q none --on-error quarantine=no/x -o new; echo "status $?"
tfr shuffle -q none --on-error quarantine -o new; echo "status $?"
rm README.md; ls -A
