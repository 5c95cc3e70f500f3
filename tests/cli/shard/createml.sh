# Create ML's annotations, centres of boxes in pixels; two kinds that claim a folder; and bad files.
exec 2>&1
images() { mkdir -p "$1"; python3 -c "
import json, sys
print(json.dumps({'images': [{'file_name': n, 'width': 20, 'height': 10} for n in sys.argv[1:]]}))" "${@:2}" | python3 "$TOOLS/masks.py" images "$1"; }
show() { tfr show --json --limit 9 "$1" | sed 's/"image\/encoded": [^]]*], //; s/"image\/\(channels\|format\|height\|width\)": [^]]*],\? \?//g'; }
images c/train a.png b.png; images c/test d.png
cat > c/train/_annotations.createml.json <<'END'
[{"image": "b.png", "annotations": []},
 {"image": "a.png", "annotations": [
  {"label": "cat", "coordinates": {"x": 10, "y": 5, "width": 10, "height": 4}},
  {"label": "dog", "coordinates": {"x": 10, "y": 5, "width": 21.5, "height": 10}},
  {"label": "dog", "coordinates": {"x": 10, "y": 5, "width": 30, "height": 4}}]}]
END
cp c/train/_annotations.createml.json c/test; sed -i 's/[ab].png/d.png/; s/,$/,/' c/test/_annotations.createml.json
echo --- splits
tfr shard c -o train.tfrecord=train/ -o test.tfrecord=test/ 2>&1 | sed 's/, read [0-9].*sum [0-9a-f]*//'; show train.tfrecord; cat train.*labels.txt
echo --- any name, the older words
sed 's/"image"/"imagefilename"/; s/"annotations"/"annotation"/' c/train/_annotations.createml.json > c/boxes.json; cp c/train/*.png c; rm -r c/train c/test
tfr shard c -f -o train.tfrecord 2>&1 | sed 's/, read [0-9].*sum [0-9a-f]*//'; tfr stats -q train.tfrecord >/dev/null && show train.tfrecord | md5sum
echo --- two kinds
printf 'filename,width,height,class,xmin,ymin,xmax,ymax\na.png,20,10,dog,1,2,11,8\n' > c/_annotations.csv
tfr shard c -o x.tfrecord; echo "status $?"
tfr shard c --from createml -q -o x.tfrecord; echo "status $?"
tfr shard c --from csv-boxes --ignore-annotations -f -o x.tfrecord 2>&1 | sed 's/, read [0-9].*sum [0-9a-f]*//'
rm c/_annotations.csv
echo --- bad files
bad() { echo "$1" > c/boxes.json; tfr shard c --from createml -f -o x.tfrecord; echo "status $?"; }
A='"annotations": [{"label": "c", "coordinates"'
bad "[{\"image\": \"a.png\", $A: {\"x\": 1, \"y\": 2, \"width\": 3}}]}]"
bad "[{\"image\": \"a.png\", $A: {\"x\": 1, \"y\": 2, \"width\": 3, \"height\": NaN}}]}]"
bad "[{\"image\": \"a.png\", $A: 7}]}]"; bad "[{\"image\": 7, $A: {}}]}]"; bad "[{\"image\": \"a.png\", $A: {\"x\": 1"; bad "{\"image\": \"a.png\", $A: {}}]}"
C='"coordinates": {"x": 1, "y": 2, "width": 3, "height": 1}'
bad "[{\"image\": \"a.png\", \"annotations\": [{\"label\": \"\", $C}]}]"; bad "[{\"image\": \"a.png\", \"annotations\": [{\"label\": \"c\\u0000\", $C}]}]"
bad "[{\"image\": \"a.png\\u0000\", \"annotations\": [{\"label\": \"c\", $C}]}]"; bad "[{\"image\": \"\", \"annotations\": [{\"label\": \"c\", $C}]}]"
bad "[{\"image\": \"a.png\", $A: {\"x\": 1e308, \"y\": 2, \"width\": 1.7e308, \"height\": 1}}]}]" 2>&1 | sed 's/, read [0-9].*sum [0-9a-f]*//'
cp c/a.png c/x; bad "[{\"image\": \"../a.png\", $A: {\"x\": 1, \"y\": 2, \"width\": 3, \"height\": 1}}]}]" 
printf '[7, {"image": 1, "annotations": "coordinates"}]' > c/_annotations.createml.json; rm c/boxes.json; tfr shard c -f -o x.tfrecord; echo "status $?"
