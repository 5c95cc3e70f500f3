# What cannot be is refused before the run, with the sizes where memory is the reason.
for o in '-m 1M' '-m 1' '--size 0' '--size big' '--batch 0' '--augment shear' '--stages read,decode' '--stages read,read' '--stages upload' '--feature x' '--device tpu' '--device sim:fast' '--seconds x' '--epochs -1' '--epochs 0' '--steps 0' '--prefetch 0'; do
  tfr bench-feed $o "$DATA/images.tfrecord" > out 2> err; echo "$o: status $?: $(head -n 1 err)"; head -c 100 out
done
