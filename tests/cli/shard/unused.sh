# Annotations that are not read are refused, wherever they are; other files beside images are not.
exec 2>&1
jpg() { mkdir -p "${1%/*}"; cp "$DATA/pairs/images/gray8.jpg" "$1"; }
try() { # TEXT FILE CONTENT: one more file in a fresh folder
  rm -rf d; for k in 1 2 3 4; do jpg d/in/a/img$k.jpg; jpg d/in/b/$k.jpg; done
  mkdir -p "d/$(dirname "$2")"; printf "$3" > "d/$2"; echo "--- $1"; tfr shard d/in --dry-run -o s.tfrecord "${@:4}" 2>&1 | grep -v '^s.tf\|skipped' | head -2; }
echo "=== annotations"
coco='{"images": [{"id": 1, "file_name": "img1.jpg"}], "annotations": [{"id": 1, "image_id": 1, "bbox": [1, 2, 3, 4]}], "categories": []}'
try 'COCO beside' in/instances.json "$coco"
try 'COCO above' annotations/instances_in.json '{"images": [{"file_name": "img1.jpg"}, {"file_name": "img2.jpg"}]}'
try 'keypoints' in/a/person_keypoints_val.json "$coco"
try 'captions' in/annotations/captions_val.json '{"images": [{"file_name": "img1.jpg"}], "annotations": [{"image_id": 1, "caption": "a cat"}]}'
try 'CreateML' in/_annotations.createml.json '[{"image": "img1.jpg", "annotations": []}]'
try 'classes by name' in/labels.json '{"img1.jpg": 3, "img2.jpg": 4}'
try 'lines of JSON' in/a.jsonl '{"f": "a/img1.jpg", "y": 1}\n{"f": "a/img2.jpg", "y": 2}\n'
try 'labelme' in/x/s.json '{"version": "5", "shapes": [{"label": "cat"}]}'
try 'YOLO beside' in/a/img1.txt '0 .5 .5 .1 .1\n'
try 'YOLO elsewhere' in/annots/img2.txt '0 .5 .5 .1 .1\n'
try 'YOLO above' labels/in/img2.txt '0 .5 .5 .1 .1\n'
try 'OBB' in/labelTxt/img3.txt 'imagesource:x\n1 1 2 1 2 2 1 2 plane 0\n'
try 'captions beside' in/a/img1.txt 'a cat on a mat\n'
try 'a table' in/ann.csv 'filename,label\na/img1.jpg,2\na/img2.jpg,3\n'
try 'a table of a larger set' in/train.csv 'id,label\nz1.jpg,2\nz2.jpg,3\n'
try 'a table of boxes' in/a/_annotations.csv 'filename,class,x\nimg1.jpg,cat,2\nimg1.jpg,dog,2\nimg2.jpg,dog,3\n'
try 'Roboflow: classes' in/_classes.csv 'filename, cat, dog\nimg1.jpg, 0, 1\nimg2.jpg, 1, 0\n'
try 'a table above' in.csv 'id,label\r\n"img1",2\r\n"img2",3\r\n'
try 'ids, with tabs' in/y.tsv 'id\ty\n1\tcat\n2\tdog\n3\tdog\n'
try 'Keras' in/list.txt 'a/img1.jpg 1,2,3,4,0\na/img2.jpg 1,2,3,4,0\n'
try 'VOC elsewhere' in/boxes/x.xml '<annotation><object/></annotation>'
try 'CVAT' in/a/annotations.xml '<?xml version="1.0"?>\n<annotations><image/></annotations>'
try 'left out on purpose' in/boxes/x.xml '<annotation><object/></annotation>' --ignore-annotations
try 'by a pattern' in/boxes/x.xml '<annotation><object/></annotation>' --exclude '*.xml'
echo "=== no annotations"
try README in/README.txt 'The images img1.jpg, and\nimg2.jpg, are mine\n'
try license in/LICENSE.txt 'img1.jpg, mine\nimg2.jpg, yours\n'
try requirements in/requirements.txt 'numpy==2\n'
try submission in/sample_submission.csv 'id,label\nimg1,0\nimg2,0\n'
try 'names of classes' in/classes.txt 'cat\ndog\n'
try 'numbers of classes' in/labels.txt '1 cat\n2 dog\n'
try 'labels of ours' in/s.tfrecord.labels.txt '0:a\n1:b\n'
try 'manifest' in/s.tfrecord.manifest.json '{"files": ["img1.jpg", "img2.jpg"]}'
try 'package' in/package.json '{"icons": ["img1.jpg", "img2.jpg"]}'
try 'settings' in/config.json '{"width": 3, "icon": "img1.jpg"}'
try 'Google Photos' in/a/img1.jpg.json '{"title": "img1.jpg", "description": ""}'
try 'checksums' in/MD5.txt 'd41d8cd98f00b204e9800998ecf8427e  a/img1.jpg\nd41d8cd98f00b204e9800998ecf8427f  a/img2.jpg\n'
try 'a list' in/train.txt 'a/img1.jpg\na/img2.jpg\n'
try 'numbers' in/log.csv 'epoch,loss\n1,0.5\n'
try 'prose' in/notes.txt 'We saw a cat, and a dog.\nThen img1.jpg, and no more.\nAnd then\nnothing\n'
try 'other XML' in/pom.xml '<project><name>x</name></project>'
try 'empty' in/empty.json ''
try 'JSON of others above' annotations/other.json '{"annotations": [], "images": [{"file_name": "z.jpg"}]}'
try 'table of others above' labels.csv 'id,label\nz1,0\nz2,1\n'
try 'hidden' in/.DS_Store 'img1.jpg,1\nimg2.jpg,1\n'
try 'thumbnails' in/Thumbs.db 'img1.jpg,1\nimg2.jpg,1\n'
echo "=== beside annotations that are read"
also() { # TEXT FILE CONTENT [OPTION]...: one more file in the folder d/in
  mkdir -p "d/$(dirname "$2")"; printf "$3" > "d/$2"; echo "--- $1"; tfr shard d/in --dry-run -o s.tfrecord "${@:4}" 2>&1 | grep 'looks\|look like\|hint\|read as' | head -2; rm "d/$2"; }
fresh() { rm -rf d; for k in 1 2 3 4; do jpg d/in/$k.jpg; done; }
fresh; echo '{"images": [{"id": 1, "file_name": "1.jpg", "width": 8, "height": 8}], "annotations": [], "categories": [{"id": 1, "name": "cat"}]}' > d/in/_annotations.coco.json
also 'COCO and notes' in/notes.txt 'x\n'; also 'COCO and captions' in/captions_in.json '{"images": [{"file_name": "1.jpg"}], "annotations": [{"caption": "a cat"}]}'
also 'COCO and keypoints' annotations/person_keypoints_in.json '{"annotations": [{"keypoints": []}], "images": [{"file_name": "1.jpg"}, {"file_name": "2.jpg"}]}'
also 'COCO and keypoints, one of them named' in/person_keypoints_in.json '{"annotations": [{"keypoints": []}], "images": [{"file_name": "1.jpg"}]}' --annotations d/in/_annotations.coco.json
fresh; echo '<annotation><object/></annotation>' > d/in/1.xml; also 'VOC and lists' in/ImageSets/Main/cat.txt '1 1\n2 -1\n'; also 'VOC and a table' in/a.csv 'name,y\n1.jpg,2\n2.jpg,3\n'
fresh; echo '0 .5 .5 .1 .1' > d/in/1.txt; echo cat > d/in/classes.txt; also 'YOLO and a list' in/train.txt '1.jpg\n2.jpg\n'; also 'YOLO and VOC' in/1.xml '<annotations/>'
fresh; printf 'file_name,y\n1.jpg,2\n2.jpg,3\n' > d/in/metadata.csv; also 'metadata and a list' in/list.txt '1.jpg\n'; also 'metadata and another' in/more.csv 'name,y\n1.jpg,2\n2.jpg,3\n'
fresh; mkdir d/masks; for k in 1 2 3 4; do cp "$DATA/images/png/gray8.png" d/masks/$k.png 2> /dev/null || cp d/in/$k.jpg d/masks; done; also 'masks and a table' in/a.csv 'name,y\n1.jpg,2\n2.jpg,3\n' --mask d/masks
echo "=== in an archive, many at once, in a split that is not asked for"
for s in train val; do for k in 1 2 3; do jpg e/$s/$k.jpg; echo '0 .5 .5 .1 .1' > e/$s/$k.txt; done; done
for f in images labels; do mkdir -p w/$f; done; cp e/train/*.jpg w/images; mkdir w/images/x w/images/y; for k in 1 2; do mv w/images/$k.jpg w/images/x; done; mv w/images/3.jpg w/images/y; cp e/train/*.txt w/labels; (cd w; tar --sort=name -cf ../w.tar *)
tfr shard w.tar --from archive -o s.tfrecord; echo $?; tfr shard w.tar --from archive --ignore-annotations --dry-run -o s.tfrecord | wc -l
if tfr version | grep -q libarchive; then gzip -kc w.tar > w.tgz; tfr shard w.tgz --from archive -o s.tfrecord | head -1; else echo "tfr shard: 3 files look like annotations, which would not be read: 'labels/1.txt', 'labels/2.txt', 'labels/3.txt'"; fi
rm e/train/*.txt; tfr shard e -q -o s.tfrecord=train/; tfr shard e -o s.tfrecord=val/; ls s.*
echo "=== outside of the splits"
for s in train test; do for k in 1 2 3; do jpg g/$s/a/$s$k.jpg; jpg g/$s/b/$s-$k.jpg; done; done
beside() { mkdir -p "g/$(dirname "$2")"; printf "$3" > "g/$2"; echo "--- $1"; tfr shard g --dry-run -o s.tfrecord=train/ 2>&1 | grep 'looks\|look like'; rm "g/$2"; }
beside 'above them' instances.json '{"images": [{"file_name": "train1.jpg"}, {"file_name": "train2.jpg"}]}'; beside 'in another folder' annots/train1.xml '<annotation><object/></annotation>'
beside 'of a split that is not asked for' test/test.csv 'name,y\ntest1.jpg,2\ntest2.jpg,3\n'
