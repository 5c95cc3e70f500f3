# --strict: what other readers make of damaged records, on one thread and on several.
python3 - <<'P'
import records
stream = b''.join(map(records.frame, (b'alpha', b'', b'gamma' * 5)))
def write(name, data):
    open(name, 'wb').write(data)
def flipped(at):
    return stream[:at] + bytes([stream[at] ^ 255]) + stream[at + 1:]
write('data', flipped(13)); write('length', flipped(22)); write('length-crc', flipped(30)); write('cut', stream[:-3])
write('tail', stream + b'spam'); write('zeros', stream + bytes(40)); write('garbage', stream + b'garbage!' * 13)
for power in 32, 35, 36, 61, 62:
    write('forged-%d' % power, stream + records.header(1 << power) + b'spam')
write('forged-last', stream + records.header(2**63 - 5)); write('forged-refused', stream + records.header(2**63 - 4))
write('html', b'<!DOCTYPE html><html></html>')
write('large', stream * 60000 + flipped(13) + stream * 60000 + records.header(1 << 40))
P
for f in data length length-crc cut tail zeros garbage forged-*; do tfr check -q --strict $f; echo "status $?"; done
tfr check -q --strict html; echo "status $?"
for j in 1 8; do tfr check -q -j $j --strict large; done
gzip -1 -c large > large.gz; tfr check -q --strict large.gz
