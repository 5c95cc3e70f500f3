# A record of more than 2 GiB: counted, hopped over, verified and passed on; as an Example it is refused, for protobuf has no such message.
[ -n "${SANITIZED-}" ] && { echo 'gigabytes are not for sanitizers'; exit 77; }
[ "$(awk '/MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo)" -ge 6 ] || { echo 'needs 6 GiB of free memory'; exit 77; }
python3 - <<'P'
import struct
import records
def behind_zeros(crc, n):
    """The CRC register after n more bytes of zeros: each is a linear map, squared as often as n has bits."""
    maps = [crc >> 8 ^ records.TABLE[crc & 255] for crc in (1 << k for k in range(32))]
    while n:
        if n & 1:
            out = 0
            for k in range(32):
                out ^= maps[k] if crc >> k & 1 else 0
            crc = out
        squared = []
        for m in maps:
            out = 0
            for k in range(32):
                out ^= maps[k] if m >> k & 1 else 0
            squared.append(out)
        maps, n = squared, n >> 1
    return crc
zeros = (1 << 31) + 7
def tag(n, size):
    return records.varint(n << 3 | 2) + records.varint(size)
head = tag(1, zeros)           # bytes_list.value
for n in 1, 2:                 # Feature.bytes_list; then an entry's value behind its key
    head = tag(n, zeros + len(head)) + head
    if n == 2:
        head = records.field(1, b'a') + head
for n in 1, 1:
    head = tag(n, zeros + len(head)) + head
crc = behind_zeros(records.crc32c(head) ^ 0xffffffff, zeros) ^ 0xffffffff
crc = ((crc >> 15 | crc << 17) + 0xa282ead8) & 0xffffffff
small = records.frame(records.example({'a': records.bytes_list([b'x'])}))
with open('giant', 'wb') as f:
    f.write(small + records.header(len(head) + zeros) + head)
    f.seek(zeros, 1)
    f.write(struct.pack('<I', crc) + small)
P
tfr count giant; tfr check -q --quick giant; echo "quick: status $?"
tfr check -q -m 3G giant; echo "check: status $?"
tfr cat -q -m 3G giant -o /dev/null -f; echo "cat: status $?"
tfr check -q -m 3G --example giant; echo "example: status $?"
tfr count -m 3G --by a giant 2>&1; echo "by: status $?"
tfr show -m 3G --json giant > out; echo "show: status $?"; head -c 100 out
(ulimit -v 500000; tfr count giant; tfr check -q --quick giant; tfr check -q -m 3G giant; echo "little memory: status $?") 2>&1
