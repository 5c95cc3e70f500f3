# COCO's files of keypoints, of stuff or of captions only, and MediaPipe's labels.json, which has no sizes.
exec 2>&1
show() { tfr show --json --limit 9 "$1" | sed 's/"image\/encoded": [^]]*], //; s/"image\/\(channels\|format\|height\|width\)": [^]]*],\? \?//g'; }
I='"images": [{"id": 1, "file_name": "1.png", "width": 20, "height": 10}, {"id": 2, "file_name": "2.png", "width": 20, "height": 10}]'
mkdir -p q/annotations q/val2017; echo "{$I}" | python3 "$TOOLS/masks.py" images q/val2017
put() { rm -f q/annotations/*; echo "{$I, $2}" > "q/annotations/$1_val2017.json"; echo "--- $1"; tfr shard q -f -o s.tfrecord 2>&1 | sed 's/, read [0-9].*sum [0-9a-f]*//'; show s.tfrecord; }
put captions '"annotations": [{"image_id": 1, "caption": "a cat", "id": 1}, {"image_id": 1, "caption": "the cat", "id": 2}]'
put person_keypoints '"categories": [{"id": 1, "name": "person", "keypoints": ["nose", "eye"]}], "annotations": [{"image_id": 1, "category_id": 1, "bbox": [1, 1, 5, 5], "keypoints": [2, 2, 2, 0, 0, 0], "num_keypoints": 1, "id": 2}]'
put stuff '"categories": [{"id": 92, "name": "banner"}], "annotations": [{"image_id": 2, "category_id": 92, "bbox": [1, 1, 5, 5], "area": 25, "iscrowd": 0, "id": 2, "segmentation": {"counts": [0, 25, 175], "size": [10, 20]}}]'
tfr shard q -q -f --draw-masks -o m.tfrecord; tfr show --json m.tfrecord | grep -o '"image/object/mask": [^]]*]'
echo --- several
sed s/banner/thing/ q/annotations/stuff_val2017.json > q/annotations/instances_val2017.json; tfr shard q -f -o s.tfrecord; echo "status $?"; tfr shard q -f -q --ignore-annotations -o s.tfrecord; show s.tfrecord
echo --- MediaPipe
for s in train validation; do mkdir -p p/$s/images; cp q/val2017/1.png p/$s/images; echo '{"categories": [{"id": 0, "name": "background"}, {"id": 1, "name": "cat"}], "images": [{"id": 0, "file_name": "1.png"}], "annotations": [{"image_id": 0, "bbox": [5, 2, 10, 4], "category_id": 1}, {"image_id": 0, "bbox": [15, 2, 10, 4], "category_id": 1}]}' > p/$s/labels.json; done
tfr shard p -f -o t.tfrecord=train/ -o v.tfrecord=validation/ 2>&1 | sed 's/, read [0-9].*sum [0-9a-f]*//'; show t.tfrecord; cat t.*labels.txt
