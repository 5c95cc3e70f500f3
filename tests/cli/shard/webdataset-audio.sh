# A field .wav of a sample is its sound, beside an image or alone.
cat > make.py <<'P'
import io, os, tarfile
data = os.environ['DATA']
wav = open(data + '/audio/s16.wav', 'rb').read()
jpg = open(data + '/media/420.jpg', 'rb').read()
with tarfile.open('a.tar', 'w', format=tarfile.USTAR_FORMAT) as t:
    for name, value in [('a/0.cls', b'7'), ('a/0.WAV', wav), ('a/0.txt', b'words'), ('1.wav', wav[:60]), ('1.cls', b'1'),
                        ('2.wav', wav), ('2.jpg', jpg), ('2.cls', b'2'), ('3.mic.wav', wav), ('3.cls', b'3'), ('4.jpg', jpg), ('4.cls', b'4')]:
        info = tarfile.TarInfo(name); info.size = len(value)
        t.addfile(info, io.BytesIO(value))
P
python3 make.py
tfr shard a.tar -o a.tfrecord 2> err; echo "status $?"; sed 's/in [0-9.]* s/in N s/' err
tfr show -q --json a.tfrecord
for j in 1 3; do tfr shard --from webdataset - -q -j $j -f -o b.tfrecord < a.tar; cmp a.tfrecord b.tfrecord; done
tfr show -q --json --bytes base64 --limit 1 a.tfrecord | python3 -c '
import base64, json, os, sys
print(base64.b64decode(json.load(sys.stdin)["audio/encoded"][0]["base64"]) == open(os.environ["DATA"] + "/audio/s16.wav", "rb").read())'
tfr shard a.tar -q --audio floats -f -o f.tfrecord; tfr show -q --json f.tfrecord | grep -c '"audio/waveform": \['
