# Boxes in a CSV file beside images: Roboflow's _annotations.csv, in splits, quoted, with what is left out; and bad files.
exec 2>&1
images() { mkdir -p "$1"; python3 -c "
import json, sys
print(json.dumps({'images': [{'file_name': n, 'width': 20, 'height': 10} for n in sys.argv[1:]]}))" "${@:2}" | python3 "$TOOLS/masks.py" images "$1"; }
show() { tfr show --json --limit 9 "$1" | sed 's/"image\/encoded": [^]]*], //; s/"image\/\(channels\|format\|height\|width\)": [^]]*],\? \?//g'; }
images r/train b.png a.png z.png; images r/valid c.png; images r/test
cat > r/train/_annotations.csv <<'END'
filename,width,height,class,xmin,ymin,xmax,ymax
b.png,20,10,dog,1,2,11,8
a.png,20,10,cat,0,0,20.5,10
b.png,20,10,cat,5,5,5,8
b.png,20,10,cat,5,5,6,8

gone.png,3,3,cat,0,0,1,1
../a.png,3,3,cat,0,0,1,1
END
printf '\xef\xbb\xbffilename,width,height,class,xmin,ymin,xmax,ymax\r\nc.png, 20 ,10,"big, ""dog""",1,2,11,8\r\n' > r/valid/_annotations.csv
echo --- splits
tfr shard r --dry-run -o s@2
tfr shard r --max-skipped 100 -o train.tfrecord=train/ -o valid.tfrecord=valid/ 2>&1 | sed 's/, read [0-9].*sum [0-9a-f]*//'
show train.tfrecord; show valid.tfrecord; cat train.*labels.txt
echo --- one folder, labels, in parts, in an archive
printf '7:cat\n9:dog\n' > labels
tfr shard r/train -q --max-skipped 100 --labels labels -o one@2.tfrecord; tfr show --json one@2.tfrecord | grep -o '"image/object/class/label": [^]]*]'
for i in 0 1; do tfr shard r/train -q --max-skipped 100 --labels labels --part $i/2 -o two@2.tfrecord; done; tfr finish -q two@2.tfrecord; for n in 0 1; do cmp one-0000$n-of-00002.tfrecord two-0000$n-of-00002.tfrecord; done
(cd r/train; tar --sort=name -cf ../../t.tar *); tfr shard t.tar -q --max-skipped 100 --labels labels -o three@2.tfrecord; for n in 0 1; do cmp one-0000$n-of-00002.tfrecord three-0000$n-of-00002.tfrecord; done
echo --- another class than in the labels, options that do not apply
echo cat > labels; rm *.labels.txt; tfr shard r/train --max-skipped 100 --labels labels -o four.tfrecord -f 2>&1 | sed 's/, read [0-9].*sum [0-9a-f]*//'
tfr shard r/train --resize 5 -o x.tfrecord; tfr shard r/train --draw-masks -o x.tfrecord; tfr shard r --from csv-boxes --mask r -o x.tfrecord; tfr shard labels --from csv-boxes -o x.tfrecord
echo --- bad files
bad() { printf "$1" > r/train/_annotations.csv; tfr shard r/train -o x.tfrecord; echo "status $?"; }
bad ''; bad 'a,b\n1,2\n'; H='filename,width,height,class,xmin,ymin,xmax,ymax\n'
bad "$H"; bad "${H}a.png,20,10\n"; bad "${H}a.png,x,10,c,1,2,3,4\n"; bad "${H}a.png,0,10,c,1,2,3,4\n"; bad "${H}a.png,20,10,c,1,2,3,nan\n"; bad "${H}\"a.png,20,10,c,1,2,3,4\n"; bad "${H}a.png,20,10,c,1,2,3,1e300\n"; bad "${H}a.png,21,10,c,1,2,3,4\n"
bad 'a\0,b\n'; bad "${H}a.png,20,10,c\0,1,2,3,4\n"; bad "${H}a.png,20,10,,1,2,3,4\n"; bad "${H}a.png,20,10.5,c,1,2,3,4\n"
bad 'filename,width,height,class,xmin,ymin,xmax,ymax,xmin\na.png,20,10,c,1,2,3,4,5\n'; bad "${H}a.png,20,10,c,1,2,3,4\na.png,21,10,c,1,2,3,4\n"
bad "${H}\"a\n.png\",20,10,\"d\ne\",1,2,3\n"; bad "${H}a.png,20,10,c,1,2,3,4\n\"a.png,20,\n\n"
bad 'filename,width\ra.png,20\r'; bad "${H}a.png,20,10,c,1,2,3,4\na.png,20,10,c\r,1,2,3,4\n"
ls x* 2>/dev/null || echo nothing written
