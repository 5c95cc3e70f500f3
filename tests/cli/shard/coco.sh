# Boxes, classes, areas and crowds of COCO's annotations; item k to shard k mod N; what is left out is counted.
exec 2>&1
cat > a.json <<'END'
{"info": {"description": "a \"}\" in a text", "list": [1, {"x": null}], "number": -1.5e3, "nothing": null},
 "annotations": [
  {"id": 1, "image_id": 30, "category_id": 90, "bbox": [1, 2, 4, 5], "area": 17.25, "iscrowd": 0, "segmentation": []},
  {"id": 2, "image_id": 10, "category_id": 3, "bbox": [0.5, 0, 7.5, 4], "area": 30, "iscrowd": 1},
  {"id": 3, "image_id": 30, "category_id": 3, "bbox": [0, 0, 16, 10], "area": 160, "iscrowd": false, "more": {"a": [[]]}},
  {"id": 4, "image_id": 77, "category_id": 3, "bbox": [0, 0, 1, 1], "area": 1, "iscrowd": 0},
  {"id": 5, "image_id": 30, "category_id": 3, "bbox": [0, 0, 0, 3], "area": 1, "iscrowd": 0},
  {"id": 6, "image_id": 30, "category_id": 3, "bbox": [10, 0, 6.5, 3], "area": 1, "iscrowd": 0},
  {"id": 6, "image_id": 20, "category_id": 90, "bbox": [-1, 0, 2, 2], "area": 1}
 ],
 "images": [
  {"id": 30, "file_name": "c.png", "width": 16, "height": 10, "license": 4},
  {"id": 10, "file_name": "deep/a.png", "width": 8, "height": 4.0},
  {"id": 20, "file_name": "b.png", "width": 3, "height": 3},
  {"id": 40, "file_name": "gone.png", "width": 3, "height": 3},
  {"id": 50, "file_name": "../b.png", "width": 3, "height": 3},
  {"id": 60, "file_name": "/etc/hostname", "width": 3, "height": 3},
  {"id": 70, "file_name": "turned.png", "width": 4, "height": 3}
 ],
 "categories": [{"id": 90, "name": "ślimak", "supercategory": "animal"}, {"id": 3, "name": "car"}]}
END
mkdir images
python3 -c "
import json
images = json.load(open('a.json'))['images']
images = [i for i in images if i['id'] in (10, 20, 30)] + [{'file_name': 'turned.png', 'width': 3, 'height': 4}]
print(json.dumps({'images': [{**i, 'height': int(i['height'])} for i in images]}))" | python3 "$TOOLS/masks.py" images images
tfr shard --max-skipped 100 --annotations a.json images -o s@2 2>&1 | sed 's/, read .*//'
for n in 0 1; do
  tfr show --json --bytes base64 --limit 9 s-0000$n-of-00002 | sed 's/"image\/encoded": [^]]*], //'
done
echo --- the same, said otherwise
tfr shard --max-skipped 100 -q -j 5 images --from coco --annotations <(cat a.json) -o t@2 && cmp s-00000-of-00002 t-00000-of-00002 && cmp s-00001-of-00002 t-00001-of-00002 && echo equal
echo --- fail
tfr shard -q --annotations a.json images -o u@2 --on-error fail; echo "status $?"
ls
