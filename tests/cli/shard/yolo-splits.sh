# Splits of annotated data sets: refused with a command that works, then one set each with one numbering of classes.
if tfr version | grep -q 'no libyaml'; then echo 'built without libyaml'; exit 77; fi
exec 2>&1
jpg() { mkdir -p "${1%/*}"; cp "$DATA/pairs/images/gray8.jpg" "$1"; }
txt() { mkdir -p "${1%/*}"; printf '%b' "$2" > "$1"; }
xml() { mkdir -p "${1%/*}"; printf '<annotation><filename>%s</filename><object><name>%s</name><bndbox><xmin>1</xmin><ymin>2</ymin><xmax>11</xmax><ymax>12</ymax></bndbox></object></annotation>\n' "$2" "$3" > "$1"; }
coco() { printf '{"images": [{"id": 1, "file_name": "%s", "width": 21, "height": 13}], "categories": [{"id": 0, "name": "none"}, {"id": 1, "name": "%s"}], "annotations": [{"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4], "area": 12}]}' "$1" "$2"; }
advised() { tfr shard "$@" -o s.tfrecord; echo "status $?"; tfr shard "$@" -o s.tfrecord 2>&1 | sed -n 's/^  tfr/tfr/p' > advice; mkdir -p out; mv advice out; for d in */; do [ $d = out/ ] || ln -s ../${d%/} out/; done
  (cd out; . ./advice 2>&1 | sed 's/\(bad 0\), .*/\1/'; for s in *.tfrecord; do echo "$s: $(tfr show -q --json $s | grep -o '"image/filename": [^]]*\]\|"image/object/class[^]]*\]' | paste -sd ' ')"; done); rm -rf out; }
echo --- YOLO, splits above
for s in train valid; do jpg r/$s/images/$s.jpg; txt r/$s/labels/$s.txt '1 .5 .5 .1 .1'; done; jpg r/test/images/x.jpg; txt r/data.yaml 'names: [a, b]\n'; txt r/valid/labels/valid.txt '0 .5 .5 .1 .1'
advised r; tfr shard -q r -o t.tfrecord=train/ && tfr count t.tfrecord; tfr shard r -o t.tfrecord=test/; tfr shard r -f -o t.tfrecord=train/ -o u.tfrecord=train/
echo --- YOLO, splits below
for s in train val; do jpg u/images/$s/$s.jpg; txt u/labels/$s/$s.txt '1 .5 .5 .1 .1'; done; cp r/data.yaml u
advised u; tfr shard -q u -o i@2.tfrecord=images/train/ && tfr count i@2.tfrecord
echo --- VOC: the classes of both
jpg v/train/1.jpg; jpg v/test/2.jpg; xml v/train/1.xml 1.jpg zebra; xml v/test/2.xml 2.jpg ant; advised v; tfr shard -q v -o z.tfrecord=train/; tfr show -q --json z.tfrecord | grep -o '"image/object/class/label[^]]*\]'
echo --- COCO
for s in train valid; do jpg c/$s/$s.jpg; coco $s.jpg cat > c/$s/_annotations.coco.json; done; advised c; coco valid.jpg dog > c/valid/_annotations.coco.json; tfr shard c -o y.tfrecord=train/ -o x.tfrecord=valid/; echo "status $?"
mkdir -p o/annotations; for s in train2017 val2017; do jpg o/$s/$s.jpg; coco $s.jpg cat > o/annotations/instances_$s.json; done; advised o
echo --- names that differ
mkdir -p n; cp -r r/train r/valid n/; printf 'a\nb\n' > n/train/classes.txt; printf 'a\nc\n' > n/valid/classes.txt; tfr shard n -o p.tfrecord=train/ -o q.tfrecord=valid/; echo "status $?"
echo --- splits that data.yaml names
for s in a b; do jpg y/images/images/set_$s/$s.jpg; txt y/images/labels/set_$s/$s.txt '0 .5 .5 .1 .1'; done
txt y/data.yaml 'path: /nowhere\ntrain: ../../images/images/set_a\nval:\n  - images/images/set_b\n  - images/images/gone\ntest: # none\nnames: [cat]\n'; advised y
for s in a b; do jpg z/images/lot_$s/$s.jpg; txt z/labels/lot_$s/$s.txt '0 .5 .5 .1 .1'; done; txt z/my.yaml 'train: images/lot_a\nval: images/lot_b\nnc: 1\nnames: [cat]\n'; advised z
