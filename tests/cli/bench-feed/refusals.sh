# What cannot be asked for is refused before anything runs, with status and a way out.
p=$DATA/images.tfrecord
feed() { tfr bench-feed --device host "$@" > out 2> err; echo "status $?: $(cat out err | sed "s|$DATA/||g")"; }
feed "$p" --device tpu
feed "$p" --device sim:25G
feed "$p" --device sim:25G,10us,400
feed "$p" --size 0
feed "$p" --size 224x
feed "$p" --augment blur
feed "$p" --batch 0
feed "$p" --shuffle-buffer 100:2048
feed "$p" --shuffle-buffer 100:
feed "$p" --on-error explode
feed "$p" --pagable
feed "$p" --logdir logs
feed "$p" --compute-ms 5:
feed "$p" --compute-ms -1
feed "$p" --prefetch 65
feed "$p" --steps-per-transfer 0
feed "$p" --no-overlap --steps-per-transfer 2
feed "$p" --feature image/width:int64 --size 16
feed "$p" --feature image/width:int64 --augment flip
feed "$p" --feature image/width:int64 --fast-decode
feed "$p" --feature image/width:int64 --normalise-on device
feed "$p" --normalise-on gpu
feed "$p" --normalise-on device --augment resize,flip
feed "$p" --where 'a =='
feed "$p" --stages read,batch=4,upload --where 'a == 1'
feed "$p" --trace -
feed "$p" --html -
feed "$p" --html no/such/folder/x.html
feed "$p" --trace no/such/folder/x.json
feed "$p" --stall-timeout x
feed "$DATA/payloads.tfrecord" --size 32
feed "$DATA/kinds.tfrecord" --size 32
feed - --epochs 2 < "$p"
feed "$p" -m 64M
feed nowhere.tfrecord
: > empty.tfrecord
feed empty.tfrecord
