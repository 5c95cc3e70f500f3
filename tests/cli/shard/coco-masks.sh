# Polygons and runs drawn: those of the golden file as pycocotools draws them, and some to look at.
exec 2>&1
mkdir images
python3 "$TOOLS/masks.py" images images < "$DATA/coco/instances.json"
tfr shard -q --draw-masks --annotations "$DATA/coco/instances.json" images -o golden.tfrecord
tfr show --json --bytes base64 --limit 99 golden.tfrecord | python3 "$TOOLS/masks.py" coco "$DATA/coco"
tfr show golden.tfrecord --limit 1 | grep -o 'image/object/[^ ]* *[a-z0-9]*  \[[0-9]*]'
echo --- by eye
cat > a.json <<'END'
{"images": [{"id": 1, "file_name": "1.png", "width": 8, "height": 5}, {"id": 2, "file_name": "2.png", "width": 8, "height": 5},
            {"id": 3, "file_name": "3.png", "width": 8, "height": 5}],
 "categories": [{"id": 1, "name": "x"}],
 "annotations": [
  {"image_id": 1, "category_id": 1, "area": 1, "bbox": [0, 0, 8, 5], "segmentation": [[1, 1, 6, 1, 6, 4, 1, 4]]},
  {"image_id": 1, "category_id": 1, "area": 1, "bbox": [0, 0, 8, 5], "segmentation": [[0, 0, 2, 0, 2, 2], [4, 2, 8, 2, 8, 5, 4, 5]]},
  {"image_id": 1, "category_id": 1, "area": 1, "bbox": [0, 0, 8, 5], "iscrowd": 1,
   "segmentation": {"counts": [1, 3, 2, 3, 31], "size": [5, 8]}},
  {"image_id": 1, "category_id": 1, "area": 1, "bbox": [0, 0, 8, 5], "iscrowd": 1,
   "segmentation": {"counts": "1320m0", "size": [5, 8]}},
  {"image_id": 2, "category_id": 1, "area": 1, "bbox": [0, 0, 8, 5], "segmentation": {"counts": [41], "size": [5, 8]}}
 ]}
END
python3 "$TOOLS/masks.py" images images < a.json
tfr shard -q --draw-masks --annotations a.json images -o a.tfrecord
tfr show --json --bytes base64 --limit 9 a.tfrecord | python3 "$TOOLS/masks.py" draw .
echo --- shapes that are none
shape() {
  sed "/\"image_id\": 2/ s/{\"counts.*}}/$1}/" a.json > b.json
  tfr shard -q --draw-masks --annotations b.json images -o b.tfrecord --on-error fail
}
shape '[[1, 2, 3, 4]]'; shape '[[1, 2, 3, 4, 5]]'; shape '[[1, 2, 3, 4, 5, "6"]]'; shape '[[1, 2, 3, 4, 5, 1e300]]'
shape '[[1, 2, 30000000, 4, 5, 6]]'; shape '[1, 2, 3, 4, 5, 6]'; shape '5'; shape '{}'; shape '"text"'
shape '{"counts": [40], "size": [8, 5]}'; shape '{"counts": [39], "size": [5, 8]}'; shape '{"counts": [4294967296], "size": [5, 8]}'
shape '{"counts": [4294967295, 41], "size": [5, 8]}'; shape '{"counts": [-1, 41], "size": [5, 8]}'; shape '{"counts": "oooooooooooooo", "size": [5, 8]}'
shape '{"counts": "X", "size": [5, 8]}'; shape '{"counts": "\\\\u0001", "size": [5, 8]}'; shape '{"size": [5, 8]}'
sed '/"image_id": 2/ s/, "segm.*/}/' a.json > b.json
tfr shard -q --annotations b.json images -o b.tfrecord; echo "status $?"
