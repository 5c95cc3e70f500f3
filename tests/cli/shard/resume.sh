# Killed at random moments and resumed, a run has the bytes of one that was left alone; what changed meanwhile is told.
python3 - << 'X'
import os, pathlib
media = pathlib.Path(os.environ['DATA']) / 'media'
images = [p.read_bytes() for p in sorted(media.iterdir()) if p.suffix in ('.jpg', '.png')]
for i in range(2500):
    path = pathlib.Path('in/%s/%04d.jpg' % ('ab'[i % 2], i))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(images[i % len(images)] if i % 50 else b'no image')
X
seed=0 rounds=20
compare() {   # whole/ and killed/ by the same options
  rm -rf whole killed; mkdir whole killed
  since=$EPOCHREALTIME
  ( cd whole; tfr shard -q -j 2 "$@" )
  seconds=$(echo "$since $EPOCHREALTIME" | awk '{ print $2 - $1 }')
  ( cd killed; python3 "$TOOLS/killed.py" $rounds $((++seed)) $seconds tfr shard -q --resume --checkpoint 0.003 "$@" 2>> ../kills )
  diff -r -x "*.manifest.json" whole killed && [ -n "$(find killed -name "shard-*")" ] && echo same
}
compare ../in -o shard-a@5.tfrecord
rounds=8
compare ../in -o shard-a@3.tfrecord.gz --shuffle --seed 4
compare ../in -o shard-a@auto.tfrecord --shard-size 200K
compare ../in -o shard-a@auto -z zlib --records-per-shard 300 --on-error quarantine=shard-q
compare ../in -o shard-a@auto.tfrecord -o shard-b@2=0.3
mkdir records && tfr shard -q in -o records/t@3.tfrecord.gz
compare ../records/t@3.tfrecord.gz -o shard-a@4
compare ../records/t@3.tfrecord.gz --on-error skip -o shard-a@auto --shard-size 64K
tar -czf in.tar.gz in
compare ../in.tar.gz -o shard-a@3
awk '{ n += $2 } END { if (n < 20) print "hardly ever killed" }' kills
# The manifest of the last, which is of no unbroken run, holds.
tfr check -q --manifest 'killed/shard-a@*' && echo whole
