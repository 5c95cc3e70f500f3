# What lies in a folder beside records: strangers, temporaries, links and FIFOs, files that are not what they are called.
exec 2>&1
fix() { python3 "$TOOLS"/fix.py "$@"; }
cat > make.py <<'P'
from records import bytes_list, example, frame, int64_list
import sys
def records(n, k=0):
    return b''.join(frame(example({'x': bytes_list([b'%d' % (i + k)])})) for i in range(n))
open('d/a.tfrecord', 'wb').write(records(20))
P
fresh() { rm -rf d; mkdir d; python3 make.py; }
fresh; echo "nothing:"; tfr doctor d 2>&1 | sed "s,([0-9.]* s),," ; tfr doctor -q d; echo "status $?"
touch d/labels.txt d/features.json d/README.md d/.hidden d/nothing; mkdir d/folder; echo '<html>' > d/folder/x.tfrecord; tfr doctor -q d; echo "company: status $?"
echo "stranger:"; for i in 1 2 3; do printf '\xff\xd8\xff%d' $i > d/$i.jpg; done; printf 'PK\x03\x04' > "d/it's a.zip"
tfr doctor -q d; fix stranger d; fix stranger d; ls d/others
echo "foreign:"; printf '<html>' > d/b.tfrecord; printf 'version https://git-lfs' > d/c-00000-of-00001; fix foreign d; rm d/[bc]*
echo "called records alone:"; mkdir e; printf '<html>' > e/b.tfrecord; tfr doctor -q e; echo "status $?"
echo "temporary:"; echo half > d/.a.tfrecord.tmp; fix temporary d; rm d/.a.tfrecord.tmp
python3 - <<'P'
import fcntl, subprocess
f = open('d/.busy.tmp', 'w'); fcntl.flock(f, fcntl.LOCK_EX)
print('being written:', subprocess.run(['tfr', 'doctor', '-q', 'd'], capture_output=True).returncode)
P
rm d/.busy.tmp
echo "special:"; mkfifo d/fifo.tfrecord; ln -s loop.tfrecord d/loop.tfrecord; ln -s nowhere d/link; tfr doctor -q d; rm d/fifo.tfrecord; fix special d; rm d/link d/loop.tfrecord
echo "a FIFO by name:"; mkfifo pipe; tfr doctor -q pipe; echo "status $?"
echo "unreadable:"
if [ "$(id -u)" != 0 ]; then chmod 0 d/a.tfrecord; tfr doctor -q d; echo "status $?"; else printf "error: unreadable: d/a.tfrecord\n  it cannot be read: Permission denied\nstatus 3\n"; fi
