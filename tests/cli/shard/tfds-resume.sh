# A TFDS data set of a run that is killed and resumed is that of one left alone; without dataset_info.json there is none.
python3 - << 'X'
import os, pathlib
media = pathlib.Path(os.environ['DATA']) / 'media'
images = [p.read_bytes() for p in sorted(media.iterdir()) if p.suffix in ('.jpg', '.png')]
for i in range(2000):
    path = pathlib.Path('in/%s/%04d.jpg' % ('ab'[i % 2], i))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(images[i % len(images)] if i % 50 else b'no image')
X
mkdir whole killed
begun=$EPOCHREALTIME
( cd whole; tfr shard -q -j 2 ../in --tfds ds -o train -o test=0.2 --records-per-shard 300 )
seconds=$(echo "$EPOCHREALTIME $begun" | awk '{ print $1 - $2 }')
( cd killed; python3 "$TOOLS/killed.py" 12 5 $seconds tfr shard -q --resume --checkpoint 0.003 ../in --tfds ds -o train -o test=0.2 --records-per-shard 300 2> ../kills )
diff -r -x "*.manifest.json" whole killed && ls -A killed/ds
grep -q 'killed [1-9]' kills && echo 'was killed'
rm -r killed; tfr shard -q in --tfds killed --resume --checkpoint 0; echo "status $?"
