# Sounds of records, decoded, cut and batched: what a batch is, what is said of it, and what is not taken.
python3 - <<'P'
import pathlib, wave
for n in range(40):
    path = pathlib.Path('sounds/%s/%02d.wav' % (('no', 'yes')[n % 2], n))
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), 'wb') as w:
        w.setnchannels(1)
        w.setsampwidth(2)
        w.setframerate(8000)
        w.writeframes(bytes(range(250)) * (n + 1) * 8)
P
tfr shard --no-shuffle -q sounds -o s@2.tfrecord || exit
mkdir -p others/no; cp "$DATA/audio/s16.wav" others/no; cp sounds/no/00.wav others/no/t.wav
feed() { tfr bench-feed --device host "$@" 2>&1; }
shown() { grep -E '^(stages|batch       audio)|^tfr|^hint'; }

echo "== the default: a second of each"
feed s@2.tfrecord | sed -nE '/^stages/,/^batch /p'
echo "== in full, mixed"
stages=read,parse,decode=audio,mono,random-crop=.25s,batch=8,upload
feed --verify-transfers --stages $stages s@2.tfrecord > out; echo "status $?"
head -n 9 out | sed -nE '/^stages/,/^rate/p' | grep -v ^rate
awk '/^[^ ]/ { on = /^audio/ } on { sub(/^ +/, " "); printf "%s", $0 } END { print "" }' out | sed -E 's/[0-9,]+ (samples\/s)/N \1/; s/, [0-9,]+ s of/, N s of/'
tr -s '\n ' ' ' < out | grep -o 'every batch was copied back and compared: no difference'
awk '/^stage /, /^$/ { print $1, $6, $7, $8 }' out | grep -E '^(decode|mono|random-crop|batch)'
awk 'length > 80' out
echo "== json"
feed --json --stages $stages s@2.tfrecord > json
python3 -c "
import json
j = json.load(open('json'))
print(j['pipeline'], j['first_batch'], j['audio'], round(j['samples_per_second'] / j['records_per_second']))"
echo "== html"
feed --html page --stages $stages s@2.tfrecord > /dev/null; grep -c '<img' page; grep -o '1 at the top, -1 at the bottom' page
grep -oE '<dt>audio</dt>' page
echo "== where, features, a cache, a shuffle of what is decoded, three of each"
feed --stages 'read,parse,filter,cache,decode=audio,shuffle=5,channels=2,random-crop=100*3,channels-first,cast=bfloat16,batch=6,upload' \
	--where 'audio/class/label == 1' --epochs 2 s@2.tfrecord | grep -E '^(batch       audio|total)' | sed 's/, [^,]*, in.*//'
feed --stages 'read,parse,decode=audio,mono,crop=400,cast=int16,batch=6,upload' --feature 'audio/class/label:int64' s@2.tfrecord |
	shown | grep '^batch       audio'
head -c 3000 sounds/no/20.wav > half.wav
python3 - <<'P'
import os, records
DATA = os.environ['DATA'] + '/audio/'
def write(name, *paths):
    with open(name, 'wb') as f:
        for path in paths:
            f.write(records.frame(records.example({'audio/encoded': records.bytes_list([open(path, 'rb').read()])})))
write('mixed.tfrecord', 'sounds/no/00.wav', 'half.wav', 'sounds/yes/01.wav', DATA + 's16.wav', DATA + 'u8.wav')
write('channels.tfrecord', DATA + 'f32.wav', DATA + 'f64.wav')
write('broken.tfrecord', 'half.wav', 'half.wav')
open('song.flac', 'wb').write(b'fLaC' + bytes(900))
write('flac.tfrecord', 'song.flac', 'song.flac')
P
echo "== half of one, and another rate"
eight=read,parse,decode=audio:8000,crop=9,batch=8,upload
feed -j 1 --stages $eight mixed.tfrecord > out; echo "status $?"; grep ^tfr out
feed -j 1 --stages $eight --on-error quarantine=bad mixed.tfrecord | grep -oE '^tfr.*|^batch       audio.*|[0-9]+ skipped'
tfr count bad
echo "== several rates, several numbers of channels, none that is whole"
feed --stages read,parse,decode=audio,crop=9,batch=8,upload mixed.tfrecord | shown
feed --stages read,parse,decode=audio,crop=9,batch=8,upload channels.tfrecord | shown
feed --stages read,parse,decode=audio,mono,crop=9,batch=8,upload channels.tfrecord | shown
feed --on-error skip broken.tfrecord; echo "status $?"
echo "== not WAV: as it is, or named"
feed flac.tfrecord | grep -E '^(stages|batch       )' | head -n 2
feed --stages read,parse,decode=audio,crop=9,batch=8,upload flac.tfrecord | shown
echo "== what sounds are not"
feed --size 64 s@2.tfrecord | shown
feed --fast-decode s@2.tfrecord | shown
feed --normalise-on device s@2.tfrecord | shown
feed --stages read,parse,decode=audio,batch=8 s@2.tfrecord | shown
feed --stages read,parse,decode=audio,crop=1s,batch=8 "$DATA/images.tfrecord" | shown
feed -j 2 -m 20M --stages read,parse,decode=audio,mono,crop=900s,batch=64,upload s@2.tfrecord | shown
