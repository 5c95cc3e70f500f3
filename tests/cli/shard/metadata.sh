# Hugging Face's metadata.csv and metadata.jsonl: columns become features beside those of the image, objects become boxes.
exec 2>&1
jpg() { mkdir -p "${1%/*}"; cp "$DATA/pairs/images/${2:-gray8}.jpg" "$1"; }   # 21 x 13
txt() { mkdir -p "${1%/*}"; printf '%b' "$2" > "$1"; }
run() { tfr shard "$@" --no-shuffle -f -o s.tfrecord 2>&1 | sed 's/\(bad 0\), .*/\1/'; }
show() { tfr show -q --json "${1:-s.tfrecord}" | sed 's/"image\/encoded": [^]]*], //; s/"mask": [^]]*]/"mask": .../; s/"audio\/encoded": [^]]*]/"audio\/encoded": .../'; }
echo --- CSV
for k in 1 2 3; do jpg c/img/$k.jpg; done; jpg c/img/extra.jpg
txt c/metadata.csv 'file_name,text,score,n\r\nimg/2.jpg,"two, too",0.5,1\r\nimg/1.jpg,one,,2\r\n./img/3.jpg,"a\nb",1,3\r\nimg/2.jpg,again,2,4\r\nimg/gone.jpg,x,3,5\r\n'
run c; show; run c --types n=bytes --resize 8 -q; show | head -1
echo --- JSON lines, with objects
jpg j/1.jpg; jpg j/2.jpg; jpg j/3.jpg; jpg j/4.jpg; jpg j/masks/1.png gray16
txt j/metadata.jsonl '{"file_name": "1.jpg", "objects": {"bbox": [[2, 1, 10.5, 6], [0, 0, 21, 13], [20, 0, 2, 1]], "categories": ["dog", "ant", "dog"], "id": [7, 8, 9]}, "tags": ["a", "b"], "mask_file_name": "masks/1.png"}\n{"file_name": "2.jpg", "objects": {"bbox": [], "categories": []}}\n{"file_name": "3.jpg", "objects": {"bbox": [[1, 2, 3]], "categories": ["dog"]}}\n{"file_name": "4.jpg", "objects": {"bbox": [[1, 2, 3, 4]], "categories": []}}\n'
run j; show; cat s.*labels.txt; printf 'dog\nant\n' > names; run j --labels names --label-base 5 -q; show | grep -o '"image/object/class/[^]]*'
sed -i 's/"dog"/3/g; s/"ant"/0/g' j/metadata.jsonl; run j --label-base 1 -q; show | grep -o '"image/object/class/[^]]*'; run j --orient; run j --labels names
for c in '"a\\u0000b"' '""' 9223372036854775807 null; do txt j/metadata.jsonl '{"file_name": "1.jpg", "objects": {"bbox": [[2, 1, 10, 6]], "categories": ['"$c"']}}\n'; run j --label-base 1; done
echo --- splits: a table in each, and one for all
jpg p/train/1.jpg; jpg p/test/2.jpg; txt p/train/metadata.csv 'file_name,v\n1.jpg,1\n'; txt p/test/metadata.csv 'file_name,v,w\n2.jpg,0.5,x\n'
run p; tfr shard -q p -o a.tfrecord=train/ -o b.tfrecord=test/; show a.tfrecord; show b.tfrecord; run p/train; show
jpg q/train/1.jpg; jpg q/train/3.jpg; jpg q/test/2.jpg; txt q/metadata.csv 'file_name,v\ntrain/1.jpg,1\ntest/2.jpg,2\n'
run q; tfr shard q -f -o a.tfrecord=train/ -o b.tfrecord=test/ 2>&1 | sed 's/\(bad 0\), .*/\1/'; show a.tfrecord; show b.tfrecord
echo --- sounds
mkdir w; cp "$DATA/audio/s16.wav" w; printf 'file_name,said\ns16.wav,hello\n' > w/metadata.csv; run w; show | grep -o '"said[^]]*\|"audio/filename"'
echo --- not of files
txt n/metadata.csv 'name,v\na.jpg,1\n'; jpg n/a.jpg; run n; run --from metadata n; txt m/metadata.jsonl 'x\n'; run --from metadata m; txt m/metadata.csv 'file_name\n'; run m
txt m/metadata.csv '"file_name\n'; run m; txt m/metadata.csv 'file_name,file_name\na,b\n'; run m; txt m/metadata.csv 'file_name\n../c/img/1.jpg\n/etc/hostname\n'; run m
