# Files without a partner are named, on both sides; several of one name are no pair, but a text beside an image is no rival.
exec 2>&1
mkdir -p images/deep masks/deep
jpeg=$DATA/pairs/images/gray8.jpg png=$DATA/pairs/masks/gray8.png
for name in a b.c deep/a e f h k l; do cp "$jpeg" "images/$name.jpg"; done
for name in a b.c deep/a e f g k l; do cp "$png" "masks/$name.png"; done
echo '0 0.5 0.5' > images/a.txt               # a label file of its own
cp "$png" images/e.png                        # a second image of that name
cp "$png" masks/f.PNG                         # a second mask of that name
cp "$png" masks/b.png                         # only the last extension is one
head -c 80 "$png" > masks/k.png
ln -s gone masks/m.png
cp "$jpeg" images/m.jpg
mkfifo images/n.jpg
cp "$png" masks/n.png
rm masks/l.png && echo text > masks/l.png
echo text > masks/a.json                      # a text beside a mask is no rival, either
echo text > images/o.txt; echo text > images/o.json; cp "$png" masks/o.png
cp "$jpeg" images/q.jpg; cp "$png" masks/Q.png   # names differ by case
cp "$jpeg" images/r; cp "$png" masks/r.png       # no extension
ln -s gone images/s.jpg; cp "$png" masks/s.png
tfr shard --max-skipped 100 --no-shuffle images --ignore-annotations --mask masks -o a@3 2>&1 | sed 's/, read .*//'
tfr count --per-file 'a@3'
for n in 0 1 2; do tfr show --json a-0000$n-of-00003 --limit 9 | grep -o '"image/filename": *\["[^]]*' ; done
echo --- fail
tfr shard --no-shuffle images --ignore-annotations --mask masks -o b@3 --on-error fail; echo "status $?"
echo --- none at all
mkdir none && cp "$png" none/other.png
tfr shard --no-shuffle -q images --ignore-annotations --mask none -o b@3; echo "status $?"
echo --- quarantine
tfr shard --max-skipped 100 --no-shuffle -q images --ignore-annotations --mask masks -o b@3 --on-error quarantine=bad.tsv; cut -f 1,2 bad.tsv
