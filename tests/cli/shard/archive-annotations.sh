# Annotations in archives: the records of a tar, a compressed tar and a zip file are those of the folder.
exec 2>&1
I='{"images": [{"id": 1, "file_name": "1.png", "width": 20, "height": 10}, {"id": 2, "file_name": "2.png", "width": 20, "height": 10}]'
images() { mkdir -p "$1"; echo "$I}" | python3 "$TOOLS/masks.py" images "$1"; }
packed() { ! tfr version | grep -q libarchive; }
same() {
	echo "--- $1"; tfr shard "$1" --no-shuffle -f -o a@2.tfrecord "${@:2}" 2>&1 | sed 's/, read [0-9].*sum [0-9a-f]*//'
	(cd "$1"; tar --sort=name -cf "../$1.tar" *; python3 -m zipfile -c "../$1.zip" *); gzip -kf "$1.tar"
	for f in "$1.tar" "$1.tar.gz" "$1.zip"; do
		packed && [ "$f" != "$1.tar" ] && continue
		tfr shard "$f" --no-shuffle -q -f -o b@2.tfrecord "${@:2}" && cmp a-00000-of-00002.tfrecord b-00000-of-00002.tfrecord && cmp a-00001-of-00002.tfrecord b-00001-of-00002.tfrecord || echo "$f differs"
	done
}
images coco/val; mkdir coco/annotations
echo "$I, \"categories\": [{\"id\": 5, \"name\": \"cat\"}], \"annotations\": [{\"image_id\": 1, \"category_id\": 5, \"bbox\": [1, 1, 5, 5], \"segmentation\": [[1, 1, 6, 1, 6, 6]]}]}" > coco/annotations/instances_val.json
same coco --draw-masks
images voc/JPEGImages; mkdir voc/Annotations
for k in 1 2; do echo "<annotation><filename>$k.png</filename><object><name>cat</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>9</xmax><ymax>9</ymax></bndbox></object></annotation>" > voc/Annotations/$k.xml; done
same voc
images yolo/images; mkdir yolo/labels; echo '0 .5 .5 .1 .1' | tee yolo/labels/1.txt > yolo/labels/2.txt; echo 'names: [cat]' > yolo/data.yaml
same yolo
images meta; printf '{"file_name": "1.png", "n": 3, "objects": {"bbox": [[1, 1, 4, 4]], "categories": ["x"]}}\n{"file_name": "2.png", "n": 4}\n' > meta/metadata.jsonl
same meta
mkdir -p dark/obj_train_data; cp yolo/images/*.png yolo/labels/*.txt dark/obj_train_data; echo cat > dark/obj.names; echo 'names = obj.names' > dark/obj.data
same dark; : > dark/obj_train_data/1.txt; same dark
mkdir flat; cp yolo/images/*.png yolo/labels/*.txt flat; echo 'names: [cat]' > flat/data.yml; same flat
echo 'a cat 0.5 0.5 0.5 0.5' | tee dark/obj_train_data/1.txt > dark/obj_train_data/2.txt; (cd dark; tar -cf ../caption.tar --sort=name obj_train_data); tfr shard caption.tar --dry-run -o x.tfrecord
echo --- refused, and left out
tfr shard yolo.tar --mask yolo -o x.tfrecord; tfr shard yolo.tar --from coco -o x.tfrecord; cat yolo.tar | tfr shard - --from yolo -o x.tfrecord; tfr shard yolo.tar --from archive -o x.tfrecord; tfr shard yolo.tar --from archive --ignore-annotations --dry-run -o x.tfrecord
echo '3 1 4 1 5' > flat/1.txt; cp flat/1.txt flat/2.txt; (cd flat; tar -cf ../digits.tar --sort=name 1.png 1.txt 2.png 2.txt); tfr shard digits.tar --dry-run -o x.tfrecord
echo "--- --tmpdir"
mkdir tmp; (cd voc/JPEGImages; tar -cf ../../plain.tar *); for f in plain.tar yolo.tar 'yolo.tar --from yolo'; do tfr shard $f --tmpdir tmp -o x.tfrecord; done
for o in '' '--from yolo'; do if packed; then echo "tfr shard: cannot make a temporary file in 'gone': No such file or directory"; else tfr shard yolo.zip $o --tmpdir gone -o x.tfrecord; tfr shard yolo.zip $o --tmpdir tmp --dry-run -q -o x.tfrecord > yolo.plan; fi; done
