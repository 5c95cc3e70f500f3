# An annotation is one line, and reads back as GitHub's toolkit would read it, whatever a file is called.
python3 - <<'P'
import os
import records
bad = bytearray(records.frame(b'alpha'))
bad[13] ^= 1
names = [b'100%,a:b::c.tfrecord', b'line\nbreak\r.tfrecord', b'::error.tfrecord', b'esc\x1b[31m.tfrecord', b'%0A%25.tfrecord']
for name in names:
    open(name, 'wb').write(bad)
open('cut.tfrecord', 'wb').write(bad[:20] + b'')
open('text.tfrecord', 'wb').write(b'<!DOCTYPE html><html>')
os.symlink('/proc/self/mem', 'unreadable.tfrecord')   # its first byte is no memory: EIO
open('good.tfrecord', 'wb').write(records.frame(b'x'))
P
tfr check -q --format github ./*.tfrecord > out 2> err; echo "status $?"; wc -l < err
python3 - <<'P'
import re
for line in open('out', 'rb').read().split(b'\n')[:-1]:
    command, properties, message = re.fullmatch(rb'::(\w+) (.*?)::(.*)', line).groups()
    pairs = dict(p.split(b'=', 1) for p in properties.split(b','))
    def unescape(b):
        for a, c in (b'%0D', b'\r'), (b'%0A', b'\n'), (b'%3A', b':'), (b'%2C', b','), (b'%25', b'%'):
            b = b.replace(a, c)
        return b
    print(command.decode(), {k.decode(): unescape(v) for k, v in pairs.items()}, unescape(message).decode())
P
tfr check -q --format github - < cut.tfrecord; echo "status $?"
tfr check -q --format github good.tfrecord; echo "status $?"
