# Ctrl-C: the report first, then the process dies of the signal.
for s in SIGINT SIGTERM; do
  timeout --foreground -s ${s#SIG} --preserve-status 2 bash -c 'exec tfr bench-feed -q --device host --seconds 60 --epochs 1000000 "$DATA/images.tfrecord" > out 2> err'
  echo "$s: status $?: $(grep -c ^bottleneck out) report, $(wc -l < err) lines of errors"
done
