# A folder of WAV files: bytes with what their headers say; what is none, or lies, is skipped with the reason.
mkdir -p s/one s/two/deep
cp "$DATA"/audio/{u8,s16,extensible}.wav s/one
cp "$DATA"/audio/{s24,s32,f64}.wav s/two; cp "$DATA/audio/f32.wav" s/two/deep/called.mp3
cp "$DATA"/audio/other/*.wav s/two
head -c 100 "$DATA/audio/s16.wav" > s/one/cut.wav; echo text > s/one/notes.txt; : > s/one/none.wav
tfr shard --no-shuffle s -o a@2.tfrecord 2> err; echo "status $?"; sed 's/in [0-9.]* s/in N s/' err
tfr show -q a@2.tfrecord | sed 's/offset [0-9]*, //'; cat a.2-tfrecord.labels.txt
tfr check --example -q a@2.tfrecord; echo "check $?"
tfr show --json --bytes base64 --where 'audio/filename == "one/s16.wav"' -q a@2.tfrecord | python3 -c '
import base64, json, os, sys
file = open(os.environ["DATA"] + "/audio/s16.wav", "rb").read()
print(base64.b64decode(json.load(sys.stdin)["audio/encoded"][0]["base64"]) == file)'
echo "the same bytes, whatever -j and -m, and whether it is recognised"
for j in 1 2 7; do tfr shard --no-shuffle -q -f -j $j -m 1K s --from audio -o b@2.tfrecord 2> err; for k in 0 1; do cmp a-0000$k-of-00002.tfrecord b-0000$k-of-00002.tfrecord; done; done
echo "dry run, fractions, globs, labels"
tfr shard --no-shuffle --dry-run -q s -o c@2.tfrecord
printf '5:one\n6:two\n' > map
tfr shard -q s --include 'two/**' --include one --exclude '*.mp3' --labels map --shuffle --seed 3 -o d/e.tfrecord 2>&1; mkdir d
tfr shard -q s --include '*.wav' --labels map --shuffle --seed 3 -o d/t.tfrecord -o d/v.tfrecord=0.4 2> err
tfr count --by audio/class/label d/t.tfrecord; tfr count d/v.tfrecord
echo "refused"
refused() { tfr shard --no-shuffle -q "$@" -o x.tfrecord 2>&1; echo "status $?"; }
refused s --sha256
refused s --resize 5
refused s --verify-images
refused s --types a=int
tfr shard --no-shuffle -q s --tfds t 2>&1; echo "status $?"
refused s --on-error fail
refused s --audio wav
refused s --frame 0
refused s --frame 1 --audio bytes
refused s --from folder --audio floats
refused s --from folder
mkdir empty texts; echo > texts/a
refused empty --from audio
refused texts --from audio
ls
