# --on-error quarantine=FILE: what is damaged and what has no class, as it lies and in order, whatever the method.
python3 - <<'P'
import random, subprocess
import records
rng = random.Random(5)


def field(number, data):
    return bytes([number << 3 | 2, len(data)]) + data


def example(kind, value):   # kind 1: bytes, 3: int64
    return field(1, field(1, field(1, b'k') + field(2, field(kind, field(1, value)))))


spans = [(True, records.frame(example(3, b'\x00')))]
for k in range(400):
    frame = records.frame(example(3, bytes([rng.randrange(3)])))
    fault = rng.choice(('', '', '', '', 'payload', 'length', 'garbage', 'no class', 'no Example'))
    if fault in ('payload', 'length'):
        at = rng.randrange(12, len(frame)) if fault == 'payload' else rng.randrange(12)
        spans.append((False, frame[:at] + bytes([frame[at] ^ 1 << rng.randrange(8)]) + frame[at + 1:]))
    elif fault == 'garbage':
        spans.append((False, rng.randbytes(rng.choice((1, 11, 12, 500)))))
    elif fault:
        spans.append((False, records.frame({'no class': b'', 'no Example': b'what'}[fault])))
    else:
        spans.append((True, frame))
data, good, bad = (b''.join(s for g, s in spans if g in which) for which in ((True, False), (True,), (False,)))
for name, content in ('in', data), ('good', good), ('bad', bad):
    open(name, 'wb').write(content)
P
for how in '--target uniform' '--target 0=1,1=2,2=3' '--target uniform --method oversample'; do for j in 1 3; do
  tfr resample -q in --by k $how -j $j --on-error quarantine=aside -o a; echo "status $?"
  cmp aside bad
  tfr resample -q good --by k $how -o c; [ $(tfr count a) = $(tfr count c) ] || echo "$(tfr count a) $(tfr count c)"
  rm aside a c
done; done
tfr resample -q in --by k --target uniform --on-error quarantine=a -o a; echo "status $?"
ls -A
