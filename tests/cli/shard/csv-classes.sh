# Images with any number of classes: Roboflow's _classes.csv, in splits and in an archive; and bad files.
exec 2>&1
images() { mkdir -p "$1"; python3 -c "
import json, sys
print(json.dumps({'images': [{'file_name': n, 'width': 20, 'height': 10} for n in sys.argv[1:]]}))" "${@:2}" | python3 "$TOOLS/masks.py" images "$1"; }
show() { tfr show --json --limit 9 "$1" | grep -o '"image/\(class/[a-z]*\|filename\|width\)": [^]]*]'; }
images m/train a.png b.png d.png; images m/valid c.png
printf 'filename, cat, dog, red\na.png, 1, 0, 1\nb.png, 0,0,0\n' > m/train/_classes.csv
printf 'filename, cat, dog, red\nc.png, 0, 1, 0\n' > m/valid/_classes.csv
echo --- splits
tfr shard m -o train.tfrecord=train/ -o valid.tfrecord=valid/ 2>&1 | sed 's/, read [0-9].*sum [0-9a-f]*//'
show train.tfrecord; show valid.tfrecord; cat valid.*labels.txt
echo --- smaller images, from an archive
(cd m; tar --sort=name -cf ../m.tar *); tfr shard m.tar -q -f --resize 5 -o train.tfrecord=train/; show train.tfrecord
tfr shard m.tar --stratify-classes -o a=0.5 -o b=0.5
echo --- bad files
bad() { printf "$1" > m/train/_classes.csv; tfr shard m/train -f -o x.tfrecord; echo "status $?"; }
bad 'name, cat\na.png, 1\n'; bad 'filename, cat\na.png, 2\n'; bad 'filename, cat\na.png, .5\n'; bad 'filename, cat\na.png, x\n'; bad 'filename, cat\na.png, 1, 1\n'; bad 'filename, cat\n'; bad 'filename, cat\n../a.png, 1\n'
bad ',filename\n0,a.png\n'; bad 'filename,cat,dog,cat\na.png,1,0,1\n'; bad 'filename,filename\na.png,a.png\n'; bad 'filename,c\0t\na.png,1\n'; bad 'filename,cat\n,1\n'
