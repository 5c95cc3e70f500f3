# Ctrl-C and a kill in the middle: the process dies of the signal and nothing is left of its output.
python3 "$TOOLS/classes.py" make in 1 0=90 1=10
for s in SIGINT SIGTERM SIGHUP; do
  python3 "$TOOLS/interrupt.py" $s in-00000-of-00001 tfr resample -q - --by label --target uniform --initial 0=9,1=1 --method reject -o out
  python3 "$TOOLS/interrupt.py" $s in-00000-of-00001 tfr resample -q - --by label --target uniform --initial 0=9,1=1 --method reject -o set@3
done
# No room: status 3, the reason, nothing left.
trap '' XFSZ
for n in $(seq 200); do echo in-00000-of-00001; done > list.txt
( ulimit -f 16; tfr resample -q @list.txt --by label --target proportional -o out ) 2> err; echo "status $?: $(head -n 1 err)"
ls -A
