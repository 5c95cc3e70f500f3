# Folders that are splits are refused with the command that writes them; their sets share the labels.
photo() { for p; do mkdir -p "${p%/*}"; cp "$DATA/media/420.jpg" "$p"; done; }
told() { "$@" > got 2>&1; echo "status $?"; grep -v 'tfr shard: read ' got; }
paste_it() { sed -n 's/^  tfr/tfr/p' got > command; told sh command; }
names() { for f; do echo "$f:" $(tfr show -q --json "$f" | sed 's/.*"image\/class\/label": \[\([0-9]*\)\].*"image\/filename": \["\([^"]*\)"\].*/\1:\2/'); done; }
out() { rm -rf out; mkdir out; }

echo "== train and val"
photo ds/train/cat/1.jpg ds/train/cat/2.jpg ds/train/dog/1.jpg ds/val/cat/3.jpg ds/val/emu/1.jpg
out; told tfr shard ds -o out/all@4.tfrecord
paste_it
ls out | grep of-; names out/train-00000-of-00004.tfrecord out/val-0000*
tfr show -q --json out/val-0000* | grep -o '"image/class/[^]]*\]'
echo "== one of them, with the labels of all; one that is not there; one without images"
out; told tfr shard -q ds -o out/v.tfrecord=val/; names out/v.tfrecord
told tfr shard ds -o out/w.tfrecord=vla/
told tfr shard ds -o out/w.tfrecord=/; told tfr shard ds -o out/w.tfrecord=../ds/
mkdir ds/empty; told tfr shard ds -o out/w.tfrecord=empty/
told tfr shard ds -o out/w.tfrecord=val/ -o out/x.tfrecord=val/
told tfr shard ds -o out/w.tfrecord=val/ -o out/x.tfrecord=val/cat/
told tfr shard ds -o out/w.tfrecord=val/ -o out/x.tfrecord=0.5
told tfr shard ds -o out/w.tfrecord=val/ -o out/x.tfrecord=train/ --stratify-classes
told tfr shard out/v.tfrecord -o out/w.tfrecord=val/
told tfr split out/v.tfrecord -o out/w@1=val/
ls out | grep tfrecord$
echo "== an image beside the splits, or beside the only one, makes them no classes"
photo wm/mix/train/cat/1.jpg wm/mix/val/cat/2.jpg wm/mix/logo.jpg one/train/cat/1.jpg one/train/dog/1.jpg one/logo.jpg; mkdir wo; cp -r one wo/; tar --sort=name -cf wm.tar wm; tar --sort=name -cf wo.tar wo
out; for i in wm wm.tar; do told tfr shard $i -o out/all.tfrecord; done
for i in one wo wo.tar; do told tfr shard $i -f --no-shuffle -o out/t.tfrecord; names out/t.tfrecord; done
photo pic/train/1.jpg pic/2.jpg; told tfr shard pic -f -o out/t.tfrecord; cat out/t.file*
echo "== the words of the command line stay"
out; told tfr shard -qo 'out/x y.tfrecord.gz' --label-base 3 --exclude 'a b' -- ds
paste_it; ls out | grep gz$
out; told tfr shard ds --output=out/a@auto=0.5 -o out/b@auto=0.5
told tfr shard ds --tfds out/set; paste_it; ls out/set | grep -v manifest
echo "== --exclude leaves one; a file of labels makes them classes"
out; told tfr shard -q ds --exclude val -o out/t.tfrecord; names out/t.tfrecord
out; printf 'train\nval\n' > map; told tfr shard -q ds --labels map --no-shuffle -o out/m.tfrecord; names out/m.tfrecord
echo "== folders above, and folders between"
D=ils/ILSVRC/Data/CLS-LOC
photo $D/train/n01/1.jpg $D/train/n02/1.jpg $D/val/v1.jpg $D/test/t1.jpg $D/test/t2.jpg
mkdir -p ils/ILSVRC/Annotations/CLS-LOC/train/n01; echo '<a/>' > ils/ILSVRC/Annotations/CLS-LOC/train/n01/1.xml; echo x > ils/solution.csv
out; told tfr shard ils -o out/all@2.tfrecord --dry-run --ignore-annotations
paste_it
told tfr shard ils -q --ignore-annotations -o out/train.tfrecord=train/ -o out/val.tfrecord=val/; names out/*.tfrecord
told tfr shard ils -q --exclude Annotations --exclude test --exclude val -o out/one.tfrecord; names out/one.tfrecord
out; photo cd/training_set/training_set/cats/1.jpg cd/training_set/training_set/dogs/1.jpg cd/test_set/test_set/dogs/2.jpg
told tfr shard cd -q -o out/a.tfrecord=training_set/ -o out/b.tfrecord=test_set/; names out/[ab].tfrecord
out; photo im/Train/images/cat/1.jpg im/Train/images/dog/1.jpg im/VALID/images/dog/2.jpg
told tfr shard im -q -o out/c.tfrecord=Train/ -o out/d.tfrecord=VALID/; names out/[cd].tfrecord
out; photo st/Split-train/cat/1.jpg st/Split-train/dog/2.jpg st/Split-eval/dog/3.jpg
told tfr shard st -o out/e.tfrecord=Split-eval/; names out/e.tfrecord
echo "== without classes"
photo fl/train/1.jpg fl/train/2.jpg fl/test/3.jpg
out; told tfr shard fl -o out/all.tfrecord; paste_it; tfr count out/t*.tfrecord
echo "== other names are splits where they are named"
out; photo fo/fold1/a/1.jpg fo/fold1/b/2.jpg fo/fold2/c/3.jpg
told tfr shard fo -q -o out/1.tfrecord=fold1/; names out/1.tfrecord
echo "== one split among classes is a class"
out; photo mi/cats/1.jpg mi/dogs/2.jpg mi/test/3.jpg
told tfr shard mi -o out/mi.tfrecord; names out/mi.tfrecord
echo "== a single folder: a class by its name, or what holds the images"
photo si/cats/1.jpg ni/images/1.jpg tc/train/cat/1.jpg tc/val/cat/2.jpg ti/train/images/1.jpg ti/val/images/2.jpg
out; told tfr shard -q si -o out/si.tfrecord; told tfr shard -q ni -o out/ni.tfrecord
out; told tfr shard -q tc -o out/tc.tfrecord=val/; told tfr shard -q ti -o out/ti.tfrecord=val/; names out/??.tfrecord
echo "== files at the top: a folder with nothing but broken ones is no class"
photo br/1.jpg br/2.jpg; mkdir br/thumbs; head -c 300 "$DATA/media/420.jpg" > br/thumbs/t.jpg
out; told tfr shard br --no-shuffle -o out/br.tfrecord; tfr count out/br.tfrecord; tfr show --json out/br.tfrecord | grep -c class
