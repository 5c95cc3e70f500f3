# COCO's annotations as labelling tools export them: without a box, an area, a shape or keypoints.
exec 2>&1
cat > a.json <<'JSON'
{"images": [{"id": 1, "file_name": "a.png", "width": 10, "height": 5}, {"id": 2, "file_name": "b.png", "width": 4, "height": 4},
            {"id": 3, "file_name": "c.png", "width": 3, "height": 2}],
 "annotations": [
  {"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 5, 5], "iscrowd": 0, "segmentation": [], "keypoints": [], "num_keypoints": null},
  {"id": 2, "image_id": 1, "category_id": 1, "bbox": [1, 1, "2.0000", "3"], "area": null, "segmentation": null, "keypoints": null},
  {"id": 3, "image_id": 1, "category_id": 1, "bbox": [0, 0, 1, 1], "segmentation": [ [] ]},
  {"id": 7, "image_id": 1, "category_id": 1, "bbox": [1, 1, 3, 3], "area": 4.5, "segmentation": [[1, 1, 4, 1, 4, 4]]},
  {"id": 4, "image_id": 2, "category_id": 1, "area": 3, "segmentation": [[1, 1, 3, 1, 3, 3]]},
  {"id": 5, "image_id": 2, "category_id": 1, "bbox": []},
  {"id": 6, "image_id": 2, "category_id": 1, "bbox": null}],
 "categories": [{"id": 1, "name": "person", "keypoints": ["nose"]}]}
JSON
mkdir images; python3 "$TOOLS/masks.py" images images < a.json
show() { tfr show -q --json "$@" | sed 's/"image\/encoded": [^]]*], //; s/, "image\/object\/mask.*width"/ ... "width"/'; }
tfr shard --annotations a.json images -o s 2>&1 | sed 's/\(bad 0\), .*/\1/'; show s
tfr shard --annotations a.json images --draw-masks -o m 2>&1 | sed 's/\(bad 0\), .*/\1/'
tfr schema m | grep mask
