# What TensorFlow Datasets would not take is refused, and nothing is left behind.
mkdir -p in/cat in/dog
for n in 1 2 3; do cp "$DATA/media/420.jpg" "in/cat/$n.jpg"; cp "$DATA/media/gray.jpg" "in/dog/$n.jpg"; done
try() { tfr shard -q "$@" 2>&1; echo "status $?"; }
for name in 1.0.0 _a 4all my-set . my_ds/..; do try in --tfds "$name"; done
for split in all a-b train@2 out/train -; do try in --tfds ds -o "$split"; done
try in --tfds ds -o a=0.5 -o a=0.2
try in --tfds ds -z gzip
try in --tfds ds --sha256
try in --tfds ds --label-base 1
try in --tfds no/where
printf '1:cat\n2:dog\n' > one.txt; try in --tfds ds --labels one.txt
printf '1:cat\n0:dog\n' > turned.txt; try in --tfds turned --labels turned.txt; cat turned/label.labels.txt
echo '== other inputs'
tar -cf in.tar in; try in.tar --tfds ds
printf 'a,b\n1,2\n' > list.csv; try list.csv --tfds ds
try "$DATA/images.tfrecord" --tfds ds
try in --mask in --tfds ds
echo '== classes'
mv in/dog 'in/dog '; try in --tfds ds
mv 'in/dog ' $'in/\u3000dog'; try in --tfds ds
mv $'in/\u3000dog' in/dog
echo '== an empty split, no images, and one that fails'
try in --tfds ds -o train -o none=0.000001
mkdir empty; echo text > empty/a.txt; try empty --tfds ds
echo text > in/cat/a.jpg; try in --tfds ds --on-error fail
ls
