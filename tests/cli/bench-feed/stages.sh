# The whole order: said with --stages, or made of the short options; both together are refused.
stages() { tfr bench-feed -q --device host --json "$@" "$DATA/images.tfrecord" > out 2> err; echo "status $?"; cat err; [ ! -s out ] || python3 -c 'import json; j = json.load(open("out")); print(j["pipeline"]); print(j["first_batch"], j["records"], "records")'; }
stages
stages --batch 4 --size 32x16 --augment resize,flip,normalise --shuffle-buffer 100 --cycle-length 2 --block-length 3 --prefetch 4
stages --batch 4 --augment flip,normalise --shuffle-buffer 0
stages --batch 4 --augment 'resize=40,random-crop*5,mirror,normalise' --size 32
stages --stages 'read, parse, decode, resize=20, five-crop=16, mirror, normalise, shuffle=40, batch=5, prefetch=2, upload'
stages --stages 'read,parse,decode,resize=8,cast=uint8,chw,batch=5,upload'
stages --where 'exists(image/encoded)' --batch 4 --size 16
for o in '--batch 4' '--size 4' '--augment flip' '--shuffle-buffer 4' '--cycle-length 4' '--block-length 4' '--prefetch 4'; do
  stages --stages read,parse,decode,resize=8,batch=4,upload $o
done
