# What cannot be asked for is refused before anything runs, with status and a way out.
p=$DATA/pictures.tfrecord
feed() { tfr bench-feed --device host "$@" > out 2> err; echo "status $?: $(cat out err | sed "s|$DATA/||g")"; }
feed "$p" --device tpu
feed "$p" --device sim:25G
feed "$p" --device sim:25G,10us,4
feed "$p" --size 0
feed "$p" --size 224x
feed "$p" --augment blur
feed "$p" --augment resize,centre-crop
feed "$p" --batch 0
feed "$p" --shuffle-buffer 2048:100
feed "$p" --on-error explode
feed "$p" --sloppy
feed - --epochs 2 < "$p"
feed "$p" -m 64M
feed nowhere.tfrecord
: > empty.tfrecord
feed empty.tfrecord
