# A folder of masks is no class; --no-classes takes files at all levels.
exec 2>&1
jpg() { for f in "$@"; do mkdir -p "${f%/*}"; cp "$DATA/pairs/images/gray8.jpg" "$f"; done; }
refused() { tfr shard "$@" -o s.tfrecord; echo "status $?"; rm -f s.*; }
k=0; for pair in images/masks imgs/labels JPEGImages/SegmentationClass image/label train/x/images:train/x/masks; do
  k=$((k+1)); a=${pair%/*} b=${pair##*/}; case $pair in *:*) a=${pair%:*} b=${pair#*:};; esac
  jpg m$k/$a/1.jpg m$k/$b/1.jpg; refused m$k; done
jpg s/train/images/1.jpg s/train/masks/1.jpg s/validate/images/1.jpg s/validate/masks/1.jpg
refused s; tfr shard s -o s.tfrecord=train/ -o v.tfrecord=validate/; echo "status $?"
(cd m1; tar --sort=name -cf ../m1.tar *); refused m1.tar
printf 'images\nmasks\n' > names; refused m1 --labels names 2>&1 | sed 's/0, read.*/0/'
for n in cat dog emu; do jpg m4/$n/1.jpg; done; refused m4 2>&1 | sed 's/0, read.*/0/'
echo "--- all levels"
jpg t/1.jpg t/a/2.jpg t/b/c/3.jpg t/train/4.jpg; mkdir -p w/a; cp "$DATA"/audio/f32.wav w/1.wav; cp "$DATA"/audio/f32.wav w/a/2.wav
(cd t; tar --sort=name -cf ../t.tar *)
for in in t w t.tar; do tfr shard -q $in --no-classes -o s.tfrecord; echo "status $?"; tfr count -q s.tfrecord; tfr show --json s.tfrecord | grep -o '"[a-z]*/\(class[^"]*\|filename\)": [^]]*' | sort; rm -f s.*; done
tar cf w.tar w
for in in t.tar w.tar; do tfr shard -q --from archive - --no-classes -o s.tfrecord < $in; tfr count -q s.tfrecord; rm -f s.*; done
refused t --no-classes --stratify-classes; tfr shard t --no-classes -o r.tfrecord=a/; echo "status $?"; echo a > t.csv; refused t.csv --no-classes
