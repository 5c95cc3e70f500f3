# --on-error quarantine=FILE: what is damaged, and what lacks the key, as it lies and in order; nothing of it is in a set.
python3 - <<'P'
import random, subprocess
import records
rng = random.Random(4)


def example(label):
    feature = b'\x0a' + bytes([len(label)]) + label
    value = b'\x0a' + bytes([len(feature)]) + feature
    entry = b'\x0a\x01k\x12' + bytes([len(value)]) + value
    features = b'\x0a' + bytes([len(entry)]) + entry
    return b'\x0a' + bytes([len(features)]) + features


spans = [(True, records.frame(example(b'first')))]
for k in range(300):
    frame = records.frame(example(b'key %d' % rng.randrange(40)))
    fault = rng.choice(('', '', '', '', 'payload', 'length', 'garbage', 'no key', 'no Example'))
    if fault in ('payload', 'length'):
        at = rng.randrange(12, len(frame)) if fault == 'payload' else rng.randrange(12)
        spans.append((False, frame[:at] + bytes([frame[at] ^ 1 << rng.randrange(8)]) + frame[at + 1:]))
    elif fault == 'garbage':
        spans.append((False, rng.randbytes(rng.choice((1, 11, 12, 500)))))
    elif fault:
        spans.append((False, records.frame(b'' if fault == 'no key' else b'what')))
    else:
        spans.append((True, frame))
data, good, bad = (b''.join(s for g, s in spans if g in which) for which in ((True, False), (True,), (False,)))
open('in', 'wb').write(data)
open('good', 'wb').write(good)
open('bad', 'wb').write(bad)
P
for how in '--key k' '--stratify k'; do for j in 1 3; do
  tfr split -q in $how -j $j --on-error quarantine=aside -o a=0.5 -o b; echo "status $?"
  cmp aside bad
  tfr split -q good $how -o c=0.5 -o d; cmp a c; cmp b d
  rm aside a b c d
done; done
tfr split -q in --key k --on-error quarantine=b -o a=0.5 -o b; echo "status $?"
tfr split -q in --key k --on-error quarantine=aside -o a=0.5 -o nowhere/b; echo "status $?"
ls -A
