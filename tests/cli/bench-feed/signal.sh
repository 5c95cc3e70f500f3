# SIGINT and SIGTERM: what was measured is printed, then the process dies of the signal.
for signal in INT TERM; do
  timeout --preserve-status -s $signal 0.5 \
    tfr bench-feed --device host --size 16 --batch 4 --epochs 1000000 "$DATA/pictures.tfrecord" > out
  echo "status $?, $(grep -cE '^(device|rate|bottleneck:) ' out) lines"
done
# Nothing comes through this pipe, and it still ends.
mkfifo pipe
timeout --preserve-status -s TERM 0.3 tfr bench-feed --device host pipe > out
echo "status $?, $(wc -c < out) bytes"
