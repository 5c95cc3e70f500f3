# What is wrong with a file of annotations is told with the byte where it is.
exec 2>&1
cp -r "$DATA/pairs/images" .
run() { tfr shard -q "$@" -o t@2; echo "status $?"; }
json() { printf '%s' "$1" > a.json; tfr shard -q --annotations a.json images -o t@2; }
rest='"annotations": [], "categories": []}'
image='{"id": 1, "file_name": "gray8.jpg", "width": 21, "height": 13}'
a() { json "{\"images\": [$image], \"categories\": [{\"id\": 1, \"name\": \"x\"}], \"annotations\": [$1]}"; }
echo --- options
run --images images
run --draw-masks images
run --annotations a.json
run --annotations a.json images --images images
run --annotations gone.json images
run --annotations "$DATA/coco/instances.json" gone
run --from folder --annotations a.json images
run --from coco images
run --annotations "$DATA/coco/instances.json" images --label-base 1
run --annotations "$DATA/coco/instances.json" images --mask images
run --annotations images images
echo --- the file
json ''; json ' '; json '[]'; json '{'; json '{"images"'; json '{"images": ['; json '{"images": [{"id": 1'
json '{}'; json '{"images": [], "annotations": []}'; json '{"images": {}, '"$rest"; json '{"images": [1], '"$rest"
json '{"images": [], "images": [], '"$rest"; json '{"images": [] '"$rest"; json '{"images": [], '"$rest x"; json "{images: [], $rest"
json '{"images": [{"id": 1]], '"$rest"; json '{"x": ]'; json '{"x": 1 2, '"$rest"; json '{"x": !}'; json '{"images": [,], '"$rest"
json "{\"x\": $(printf '[%.0s' $(seq 100))"; json "{\"images\": [{\"x\": $(printf '{"a":%.0s' $(seq 40))1$(printf '}%.0s' $(seq 40))}], $rest"
echo --- images
i() { json "{\"images\": [$1], $rest"; }
i '{}'; i '{"id": "1"}'; i '{"id": 1.5}'; i '{"id": 99999999999999999999}'; i '{"id": 1, "width": 0, "height": 3}'
i '{"id": 1, "width": 3, "height": 1e400}'; i '{"id": 1, "width": NaN, "height": 3}'; i '{"id": 1, "width": 3000000000, "height": 3}'
i '{"id": 1, "width": 3, "height": 3, "file_name": 7}'; i '{"id": 1, "width": 3, "height": 3, "file_name": "a\u0000b"}'
i '{"id": 1, "width": 3, "height": 3, "file_name": "'$'\xff''"}'; i '{"id": 1,}'; i '{"id": 1 "width": 3}'; i "$image, $image"
echo --- annotations
a '{}'; a '{"image_id": 1}'; a '{"image_id": 1, "category_id": 1, "bbox": {}}'; a '{"image_id": 1, "category_id": 1, "bbox": [1, 2, 3]}'
a '{"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, "4x"]}'; a '{"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, Infinity]}'
a '{"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4], "area": "x"}'; a '{"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4], "area": 1, "iscrowd": 2}'
a '{"id": "x", "image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4], "area": 1}'
a '{"image_id": 1, "category_id": 2, "bbox": [1, 2, 3, 4], "area": 1}'
json "{\"images\": [], \"annotations\": [], \"categories\": [{\"id\": 1, \"name\": \"a\"}, {\"id\": 1, \"name\": \"b\"}]}"
json "{\"images\": [], \"annotations\": [], \"categories\": [{\"id\": 1}]}"
echo --- nothing at all
i ''; echo "status $?"
ls
