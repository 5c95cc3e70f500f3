# A reader that is stuck is named, after the report of what was measured; nothing hangs without a word.
mkfifo pipe
{ head -c 12000 "$DATA/images.tfrecord"; exec sleep 100; } > pipe &
tfr bench-feed -q --device host --batch 4 --stall-timeout 1 --shuffle-buffer 0 --size 16 pipe > out 2> err; echo "status $?"
cat err
grep -o '^bottleneck: read: the workers starve' out
grep -o '4 records in 1 batch' out
kill $!
