# On a terminal lines are as wide as it is, by what it says or COLUMNS; not for who asks for values, and not in a pipe.
cd "$DATA"
terminal() { script -qec "stty cols $1; env TERM=dumb $2 tfr show -q -n 1 narrow.snapshot" /dev/null < /dev/null | tr -d '\r'; }
widest() { tail -n +2 | wc -L | sed "s/^/$1 /"; }
terminal 60
terminal 60 COLUMNS=40 | widest 40
terminal 60 COLUMNS=none | widest 60
env -u COLUMNS tfr show -q -n 1 narrow.snapshot | widest pipe
COLUMNS=40 tfr show -q -n 1 narrow.snapshot | widest pipe
script -qec 'stty cols 60; TERM=dumb tfr show -q -n 1 --values 20 narrow.snapshot' /dev/null < /dev/null | widest values
