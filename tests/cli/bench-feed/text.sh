# A page for a person that ends in what holds the feed back, within 80 columns.
cp "$DATA/images.tfrecord" . # a long path would make a long line
tfr bench-feed --device host images.tfrecord > out 2> err; echo "status $?"
cat err
awk 'length > 80' out
grep -c '^bottleneck: ' out
head -n 1 out
awk '/^bottleneck/ { on = 1 } on && NR > 1 && /^[a-z]/ && !/^bottleneck/' out
