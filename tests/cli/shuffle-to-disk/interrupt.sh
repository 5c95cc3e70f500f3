# A signal removes the output's temporary; a kill leaves the inputs as they were and no output.
for s in SIGINT SIGTERM SIGHUP; do
  python3 "$TOOLS/interrupt.py" $s "$DATA/members.tfrecord" tfr shuffle - -q -o out
  python3 "$TOOLS/interrupt.py" $s "$DATA/members.tfrecord" tfr shuffle - -q -o set@3.tfrecord -m 8M
done
