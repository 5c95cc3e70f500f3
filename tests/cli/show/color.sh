# Colour where it was asked for, and on a terminal that wants it.
cd "$DATA"
plain=$(tfr show -q kinds.tfrecord kinds.tfevents)
[ "$plain" = "$(tfr show -q --color never kinds.tfrecord kinds.tfevents)" ] || echo 'a pipe is no terminal'
tfr show -q --color always -n 1 kinds.tfrecord | cat -v
[ "$plain" = "$(tfr show -q --color always kinds.tfrecord kinds.tfevents | sed 's/\x1b\[[0-9]*m//g')" ] || echo 'colour is not all'
terminal() { script -qec "$1 tfr show -q -n 1 kinds.tfrecord" /dev/null < /dev/null | grep -c $'\x1b'; }
terminal 'TERM=xterm'
terminal 'TERM=xterm NO_COLOR='
terminal 'TERM=xterm NO_COLOR=1'
terminal 'TERM=dumb'
tfr show -q --json --color always -n 1 kinds.tfrecord
