# A signal removes the temporaries of both outputs.
for s in SIGINT SIGTERM SIGHUP; do
  python3 "$TOOLS/interrupt.py" $s "$DATA/members.tfrecord" tfr repair - -q -o out --on-error quarantine=lost
done
