# What cannot be is refused, and so is what would mean nothing.
exec 2>&1
mkdir in && cp "$DATA/images/png/rgb.png" in
for o in '--resize 0' '--resize x5' '--resize 5x' '--resize 5x0' '--resize 70000' '--resize 256,' '--resize -1' '--filter box --resize 5' '--filter area' \
  '--enlarge' '--enlarge --resize 5x5' '--quality 101 --resize 5' '--quality 0 --resize 5' '--quality 50' '--quality 50 --reencode png --resize 5' '--reencode gif'; do
  tfr shard in -o t.tfrecord $o; echo "status $?"
done
ls
