# A file damaged in hundreds of ways: kept and lost add up to it, the output is whole and made of its records, and the
# same comes out of a pipe.
python3 - <<'P'
import json, random, records, subprocess
rng = random.Random(7)
items = [bytes(rng.randbytes(n)) for n in (40, 0, 17, 90, 3, 64)]
whole = b''.join(map(records.frame, items))
def repair(data, *more):
    open('bad', 'wb').write(data)
    by_name = subprocess.run(['tfr', 'repair', 'bad', '--json', '--allow-empty', '-fo', 'out', '--on-error', 'quarantine=lost', *more],
                             capture_output=True, text=True)
    report = json.loads(by_name.stdout)
    piped = subprocess.run(['tfr', 'repair', '-', '-q', '--allow-empty', '-o', '-', *more], input=data, capture_output=True)
    kept = open('out', 'rb').read()
    assert report['kept_bytes'] + report['lost_bytes'] == report['bytes'] == len(data)
    assert report['lost_bytes'] == len(open('lost', 'rb').read())
    assert b''.join(data[f['offset']:f['offset'] + f['bytes']] for f in report['faults'] if not f['fixed']) == \
        open('lost', 'rb').read()
    assert report['kept_bytes'] == len(kept) and piped.stdout == kept
    assert by_name.returncode == piped.returncode == (1 if report['lost_bytes'] else 0)
    out = [payload for _, payload, good in records.unframe(kept)]
    assert all(good for _, _, good in records.unframe(kept)) and sum(len(p) + 16 for p in out) == len(kept)
    if '--fix-checksums' not in more:
        rest = iter(items)
        assert all(payload in rest for payload in out), 'a record that was none'
    return out
def damaged():
    for at in range(0, len(whole), 13):
        yield whole[:at] + bytes([whole[at] ^ 0x40]) + whole[at + 1:]
        yield whole[:at]
        yield whole[:at] + rng.randbytes(9) + whole[at:]
        yield whole[:at] + whole[at + 5:]
        yield whole[:at] + records.header(rng.randrange(200)) + whole[at:]
    for _ in range(40):
        data = bytearray(whole)
        for _ in range(rng.randrange(2, 6)):
            at = rng.randrange(len(data))
            data[at:at + rng.randrange(3)] = rng.randbytes(rng.randrange(3))
        yield bytes(data)
print(sum(len(repair(data)) <= len(items) for data in damaged()), 'repairs')
for at in range(12, 12 + len(items[0]) + 4, 3):
    data = whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:]
    assert len(repair(data, '--fix-checksums')) == len(items), at
print('fixed')
P
