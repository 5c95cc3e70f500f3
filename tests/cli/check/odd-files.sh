# What is no regular file: a directory, devices, a socket, a loop of links, a FIFO, a terminal.
python3 <<'P'
import os
import socket
os.mkdir('dir')
os.mkfifo('fifo')
os.symlink('loop', 'loop')
socket.socket(socket.AF_UNIX).bind('socket')
P
repair() { tfr repair "$1" -o out -f -q; }
for f in dir /dev/zero /dev/null /dev/full socket loop; do
  for c in 'tfr count -q' 'tfr count -q --sum' 'tfr check -q' 'tfr check -q --quick' 'tfr check -q --strict --decode' 'tfr cat -q -o - -f' 'tfr show -q' \
    'tfr index -q' repair; do
    # An endless device must not keep anybody; what is said is one error line and its hint.
    (ulimit -v "$([ -n "${SANITIZED-}" ] && echo unlimited || echo 400000)"; export -f repair; timeout 60 bash -c "$c $f" < /dev/null > text 2> err)
    echo "$c $f: $? $(head -c 100 text | tr '\0' 0) $(tr '\n' '|' < err)"
  done
done
echo "a FIFO:"
for c in 'tfr count' 'tfr count --sum' 'tfr check -q' 'tfr check -q --quick' 'tfr check -q --strict' 'tfr show -q --as raw' 'tfr cat -q -o - -f --raw'; do
  cat "$DATA/members.tfrecord" > fifo &
  $c fifo | head -n 1 | cut -c 1-60; wait
done
echo "bytes that come slowly, cut anywhere:"
slowly() { python3 -c 'import sys, time
data = open(sys.argv[1], "rb").read()
for n in range(0, len(data), 700):
    sys.stdout.buffer.write(data[n:n + 700]); sys.stdout.flush(); time.sleep(.001)' "$1"; }
slowly "$DATA/payloads.tfrecord" | tfr count; slowly "$DATA/kinds-gzip.tfrecord" | tfr check; head -c 3000 "$DATA/payloads.tfrecord" > cut; slowly cut | tfr check -q
echo "a terminal:"
python3 -c 'import os, pty, sys
def run(*words):
    pid, fd = pty.fork()
    if not pid:
        os.execvp(words[0], words)
    out = b""
    try:
        while piece := os.read(fd, 999):
            out += piece
    except OSError:
        pass
    print(" ".join(words), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), out.decode().splitlines()[0])
run("tfr", "count")
run("tfr", "check")'
