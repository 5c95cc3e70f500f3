# A coding that is not ours is libsndfile's, window by window: the samples are those of the whole.
if tfr version | grep -q 'no libsndfile'; then echo 'built without libsndfile'; exit 77; fi
python3 - <<'P'
import os, records
DATA = os.environ['DATA'] + '/audio/'
with open('a.tfrecord', 'wb') as f:
    for name in ['other/alaw.wav'] * 9 + ['u8.wav']:
        f.write(records.frame(records.example({'audio/encoded': records.bytes_list([open(DATA + name, 'rb').read()])})))
P
for crop in crop=20 random-crop=5 centre-crop=900; do
	tfr bench-feed --device host --verify-transfers --stages "read,parse,decode=audio,$crop,cast=int16,batch=5,upload" a.tfrecord > out 2>&1; echo "status $?"
	grep -E '^(batch       audio|tfr|hint)' out; tr -s '\n ' ' ' < out | grep -o 'every batch was copied back and compared: no difference'
done
