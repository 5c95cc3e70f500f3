# The layouts of folders hold for archives: a tar archive gives the records of its folder, and a compressed one those of the tar.
photo() { for p; do mkdir -p "${p%/*}"; cp "$DATA/media/420.jpg" "$p"; done; }
told() { "$@" > got 2>&1; echo "status $?"; grep -v 'tfr shard: read ' got; }
pack() { ( cd "$1" && find . | tr / '\001' | LC_ALL=C sort | tr '\001' / | tar --no-recursion -cf "../$1.tar" -T - ); }
same() { # FOLDER OPTION...: the folder, its tar and its tar.gz
  local in=$1; shift; pack "$in"; rm -rf out; mkdir -p out/f out/t out/z
  tfr shard -q --no-shuffle "$in" "${@//OUT/out/f}"; echo "folder $?"
  tfr shard -q "$in.tar" "${@//OUT/out/t}"; echo "tar $?"
  gzip -kf "$in.tar"; tfr shard -q "$in.tar.gz" "${@//OUT/out/z}" 2> got || grep -q libarchive got || cat got
  [ -s got ] && grep -q libarchive got && cp out/t/* out/z
  (cd out/f && ls | grep -v json) > names; for n in $(cat names); do cmp out/f/$n out/t/$n; cmp out/t/$n out/z/$n; done
  cat names | paste -sd ' '; cat out/f/*labels.txt | sort -u | paste -sd ' '
}
photo ds/train/cat/1.jpg ds/train/dog/2.jpg ds/val/dog/3.jpg ds/val/emu/4.jpg; echo x > ds/README
pack ds; mkdir o; told tfr shard ds.tar -o o/all@4.tfrecord; sed -n 's/^  tfr/tfr/p' got > command; told sh command; ls o | grep of-
same ds -o OUT/train@2.tfrecord=train/ -o OUT/val.tfrecord=val/
same ds -o OUT/val.tfrecord=val/
told tfr shard ds.tar -o o/x=vla/; told tfr shard ds.tar -o o/x=train/ -o o/y=0.5
cat ds.tar | told tfr shard --from archive - -o o/x=train/
echo "== folders above, folders between, flat splits"
D=il/ILSVRC/Data/CLS-LOC
photo $D/train/n01/1.jpg $D/train/n02/1.jpg $D/val/v1.jpg $D/test/t1.jpg
mkdir -p il/ILSVRC/Annotations/CLS-LOC/train/n01; echo '<a/>' > il/ILSVRC/Annotations/CLS-LOC/train/n01/1.xml
pack il; told tfr shard il.tar -o o/x@2.tfrecord --ignore-annotations
same il --ignore-annotations -o OUT/t.tfrecord=train/ -o OUT/v.tfrecord=val/
photo cd/training_set/training_set/cats/1.jpg cd/training_set/training_set/dogs/1.jpg cd/test_set/test_set/dogs/2.jpg
same cd -o OUT/a.tfrecord=training_set/ -o OUT/b.tfrecord=test_set/
echo "== one folder above; a folder without images; one above what is no class"
photo on/photos/cat/1.jpg on/photos/dog/deep/2.jpg on/photos/a-b/1.jpg on/photos/a/1.jpg; mkdir on/photos/empty on/__MACOSX; echo x > on/photos/cat/notes.txt
same on -o OUT/a.tfrecord
photo fl/images/1.jpg fl/images/2.jpg; same fl -o OUT/a.tfrecord
