# No binary to a terminal without -f.
run() { python3 -c '
import os, pty, sys
status = os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:], lambda fd: os.read(fd, 65536)))
print("status", status)' "$@" < /dev/null | tr -d '\r' | head -c 300; }
run tfr cat -q "$DATA/members.tfrecord"
run tfr cat -q "$DATA/members.tfrecord" -f --limit 1 --raw; echo
