# Items that only their paths order are shuffled, by a seed; what a file orders is kept.
mkdir -p in/a in/b masks/a masks/b
for i in 1 2 3 4 5 6 7 8; do cp "$DATA/media/420.jpg" in/a/$i.jpg; cp "$DATA/media/420.jpg" in/b/$i.jpg; done
names() { tfr show -q --json "$1" | sed 's/.*"image\/filename": \["\([^"]*\)"\].*/\1/' | paste -sd ' '; }
tfr shard -q in -o default.tfrecord; names default.tfrecord
tfr shard -q in -o asked.tfrecord --shuffle --seed 0 -j 3 -m 1; cmp default.tfrecord asked.tfrecord
tfr shard -q in -o other.tfrecord --seed 1; names other.tfrecord
tfr shard -q in -o kept.tfrecord --no-shuffle; names kept.tfrecord
[ "$(tfr count --sum default.tfrecord)" = "$(tfr count --sum kept.tfrecord)" ] && echo the same records
tfr shard -q in -o x.tfrecord --shuffle --no-shuffle; echo "status $?"
echo "an archive and a list"
tar -C in -cf in.tar a/1.jpg a/2.jpg b/1.jpg b/2.jpg
tfr shard -q in.tar -o tar.tfrecord; names tar.tfrecord; tfr shard -q in.tar -o tar.tfrecord -f --no-shuffle; names tar.tfrecord
echo "sounds, pairs and VOC"
order() { tfr shard -q "$@" -o o.tfrecord -f; tfr show -q --json o.tfrecord | grep -o '/filename": \["[^"]*"\]' | cut -d '"' -f 3 | paste -sd ' '; }
for i in 1 2 3 4 5 6; do mkdir -p wav v/Annotations v/JPEGImages v/ImageSets/Main; cp "$DATA/audio/u8.wav" wav/$i.wav; cp "$DATA/media/420.jpg" v/JPEGImages/$i.jpg
  echo "<annotation><filename>$i.jpg</filename></annotation>" > v/Annotations/$i.xml; echo $i >> v/ImageSets/Main/train.txt; done
order wav; order wav --no-shuffle
order v; order v --no-shuffle; order v --image-set train
P="$DATA/pairs"; order "$P/images" --mask "$P/masks"; order "$P/images" --mask "$P/masks" --no-shuffle
echo "a dry run, and a run that is resumed"
tfr shard in --dry-run -o x@auto.tfrecord --records-per-shard 3 | cut -f 1,2
tfr shard -q in -o r.tfrecord --resume; cmp default.tfrecord r.tfrecord
