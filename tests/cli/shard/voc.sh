# PASCAL VOC: boxes of XML files beside their images, under the names of the Object Detection API.
exec 2>&1
mkdir -p v/Annotations v/JPEGImages v/ImageSets/Main
cp "$DATA/pairs/images/gray8.jpg" v/JPEGImages/a.jpg; cp "$DATA/pairs/images/gray16.jpg" v/JPEGImages/b.jpg; cp "$DATA/pairs/images/palette1.jpg" v/JPEGImages/c.jpg
head -c 300 v/JPEGImages/a.jpg > v/JPEGImages/cut.jpg
xml() { printf '<annotation>\n<folder>VOC2012</folder><filename>%s</filename>\n<size><width>%s</width><height>%s</height><depth>3</depth></size>\n%s</annotation>\n' "$@"; }
object() { printf '<object><name>%s</name>%s<bndbox><xmax>%s</xmax><xmin>%s</xmin><ymin>%s</ymin><ymax>%s</ymax></bndbox></object>\n' "$@"; }
xml b.jpg 21 13 "$(object dog '<pose>Left</pose><truncated>1</truncated><difficult>0</difficult>' 21 1 2 13)
<object><name> cat&amp;mouse
</name><difficult>1</difficult><part><name>head</name><bndbox><xmin>5</xmin><ymin>5</ymin><xmax>6</xmax><ymax>6</ymax></bndbox></part><bndbox><xmin>3.5</xmin><ymin>0</ymin><xmax>7</xmax><ymax>1e1</ymax></bndbox></object>" > v/Annotations/1.xml
{ echo '<?xml version="1.0" encoding="ISO-8859-1"?>'; xml a.jpg 21 13 "$(object dog '' 9 1 1 9)$(object dog '' 22 1 1 9)$(object gone '' 1 1 1 9)$(object ch$'\xe9'vre '' 4 2 2 4)"; } > v/Annotations/2.xml
echo '<annotation><filename>c.jpg</filename></annotation>' > v/Annotations/3.xml
echo notes > v/Annotations/README
tfr shard v -o s@2.tfrecord 2>&1 | sed 's/in [0-9.]* s,/in N s,/'; ls; cat s.2-tfrecord.labels.txt
show() { tfr show -q --json "$@" | sed 's/"image\/encoded": [^]]*], //'; }
show s@2.tfrecord; tfr check -q --example --decode s@2.tfrecord
echo --- the same, said otherwise
tfr shard -q -j 5 --from voc v -o t@2.tfrecord 2> /dev/null; for k in 0 1; do cmp s-0000$k-of-00002.tfrecord t-0000$k-of-00002.tfrecord; done
tfr shard -q --annotations v/Annotations v/JPEGImages -o u@2.tfrecord 2> /dev/null; cmp s-00000-of-00002.tfrecord u-00000-of-00002.tfrecord
mkdir o; tfr shard -q --label-base 1 --sha256 v -o o/l.tfrecord 2> /dev/null; cat o/l.file-tfrecord.labels.txt; show --limit 1 o/l.tfrecord | grep -o '"image/key/sha256": [^]]*\|"image/object/class/label": [^]]*'
echo --- a map, an image set, shuffled, planned
printf '7:cat&mouse\n1:dog\n9:horse\n' > map; mkdir m; tfr shard v --labels map -o m/l.tfrecord 2>&1 | sed 's/in [0-9.]* s,/in N s,/'; show --limit 1 m/l.tfrecord | grep -o '"image/object/class/label": [^]]*'
printf '3 -1\n1  1\n' > v/ImageSets/Main/dog_train.txt; tfr shard -q --image-set dog_train v -o i.tfrecord -f; show i.tfrecord | grep -o '"image/source_id": [^]]*'
tfr shard -q -f --shuffle --seed 1 v -o r.tfrecord 2> /dev/null; tfr count r.tfrecord; tfr shard -q --dry-run v -o p@2.tfrecord
echo --- skipped
w() { printf '%s' "$1" > v/Annotations/9.xml; tfr shard -f v -o x.tfrecord 2>&1 | grep "9.xml\|JPEGImages/[^:]*':"; }
w ''; w '<a/>'; w '<annotation>'; w '<annotation/>'; w '<annotation><filename/></annotation>'; w '<annotation><filename>../a.jpg</filename></annotation>'
w '<annotation><filename>/etc/hostname</filename></annotation>'; w '<annotation><filename>none.jpg</filename></annotation>'; w '<annotation><filename>cut.jpg</filename></annotation>'
w "$(xml a.jpg 20 13 '')"; w "$(xml a.jpg x 13 '')"; w "$(xml a.jpg -1 13 '')"; w "$(xml a.jpg 21 13 '<object/>')"; w "$(xml a.jpg 21 13 '<object><name>x</name></object>')"
w "$(xml a.jpg 21 13 "$(object '' '' 1 2 3 4)")"; w "$(xml a.jpg 21 13 "$(object x '' 1 2 3 nan)")"; w "$(xml a.jpg 21 13 "$(object x '<difficult>2</difficult>' 1 2 3 4)")"
w '<!DOCTYPE a [<!ENTITY b "c">]><annotation><filename>a.jpg</filename></annotation>'; w '<annotation><filename>&b;</filename></annotation>'
w "<annotation>$(printf '<a>%.0s' $(seq 80))$(printf '</a>%.0s' $(seq 80))</annotation>"; w "<annotation><filename>$(printf 'x%.0s' $(seq 5000))</filename></annotation>"
w $'<annotation><filename>a\xff.jpg</filename></annotation>'
rm v/Annotations/9.xml
echo --- refused
run() { tfr shard -q -f "$@" -o x.tfrecord; echo "status $?"; }
run v --stratify-classes; run v --image-set gone; run v --image-set ../x; run v --draw-masks; run v --include a; run v --tfds x; run v --types a=int; run v --audio floats
run v --ignore-annotations --mask v/JPEGImages; run --annotations v/Annotations gone; run --annotations v/Annotations --image-set x v/JPEGImages
mkdir empty; run --from voc empty; run --from folder v --image-set a; mkdir -p e/Annotations e/JPEGImages; run e; run v --labels none
printf 'a b\n../x\n' > v/ImageSets/Main/bad.txt; run v --image-set bad; run v --on-error fail --labels <(echo dog)
