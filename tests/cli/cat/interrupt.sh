# Ctrl-C and a kill in the middle: the process dies of the signal and nothing is left of its output.
for s in SIGINT SIGTERM SIGHUP; do
  python3 "$TOOLS/interrupt.py" $s "$DATA/members.tfrecord" tfr cat - -q -o out
  python3 "$TOOLS/interrupt.py" $s "$DATA/members.tfrecord" tfr cat - -q -o set@3.tfrecord
done
