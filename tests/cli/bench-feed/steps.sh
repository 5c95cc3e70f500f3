# How much is fed: one epoch without a limit; --epochs, --steps, --drop-remainder.
fed() { tfr bench-feed -q --json --device host --batch 4 "$@" "$DATA/images.tfrecord" |
  python3 -c 'import json, sys; j = json.load(sys.stdin); print(j["records"], "records in", j["batches"], "batches")'; }
fed
fed --epochs 2
fed --steps 2
fed --drop-remainder
fed --steps 10 --epochs 100 --shuffle-buffer 0 -j 1
fed --augment centre-crop,normalise --size 32x16
fed --augment resize
fed --device sim:1G,1ms
