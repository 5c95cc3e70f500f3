# --format: a case for each set and for each other path with findings; notes fail nothing; names may be anything.
exec 2>&1
python3 - <<'P'
import os
from records import bytes_list, example, frame
os.mkdir('d')
good = b''.join(frame(example({'x': bytes_list([b'%d' % i])})) for i in range(20))
open('d/good.tfrecord', 'wb').write(good)
open('d/a<b&"c.tfrecord', 'wb').write(good[:40] + b'?' + good[41:])
P
touch d/.x.tfrecord.tmp
one() { sed 's/time="[^"]*"/time="T"/; s,([0-9.]* s),(N s),'; }
tfr doctor --format junit d 2> err > junit; echo "status $?"; one < err; one < junit
python3 -c 'import xml.dom.minidom as m; m.parse("junit"); print("well-formed")'
tfr doctor -q --format github d; echo "status $?"
tfr doctor --format json d | cmp - <(tfr doctor --json d) && echo same
tfr doctor -q --format junit d/good.tfrecord | one; echo "status ${PIPESTATUS[0]}"
