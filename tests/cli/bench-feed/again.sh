# The last lines are a command that gives the run again.
feed() { tfr bench-feed -q "$@" > out; echo "status $?"; sed -n '/^again:/,$p' out | sed 's/^again:      //' > again.sh; }
same() { . ./again.sh > second; diff <(sed -n '/^stages/,/^rate/p' out | grep -v ^rate) <(sed -n '/^stages/,/^rate/p' second | grep -v ^rate) && echo same
  diff <(grep -o '[0-9]* records in [0-9]* batch' out) <(grep -o '[0-9]* records in [0-9]* batch' second) && echo 'as many'
  diff <(sed -n '/^again:/,$p' out) <(sed -n '/^again:/,$p' second) && echo 'and again'; }
cp "$DATA/images.tfrecord" "it's one.tfrecord"
feed --device host --batch 4 --size 16x12 --shuffle-buffer 1000 --cycle-length 2 --steps 7 --epochs 9 --seed 5 -j 2 -m 300M "it's one.tfrecord"
cat again.sh; same
feed --device sim:1G,1us,2 --batch 3 --size 16 --augment resize,mirror,normalise --where 'exists(image/encoded)' --drop-remainder --compute-ms 1:0.5 -j 1 "it's one.tfrecord"
cat again.sh; same
awk 'length > 80' out
