# Ctrl-C and a kill in the middle: the process dies of the signal and nothing is left of its output.
python3 "$TOOLS/classes.py" make in 1 0=90 1=10
for n in $(seq 5000); do echo in-00000-of-00001; done > list.txt
for s in SIGINT SIGTERM SIGHUP; do
  for out in out set@3; do
    python3 "$TOOLS/interrupt.py" $s in-00000-of-00001 tfr resample -q @list.txt --by label --target uniform -o $out
  done
done
# No room: status 3, the reason, nothing left.
trap '' XFSZ
( ulimit -f 16; tfr resample -q @list.txt --by label --target proportional -o out ) 2> err; echo "status $?: $(head -n 1 err)"
ls -A
