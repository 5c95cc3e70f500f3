# A broken image or record ends it with what and where, or is skipped and counted.
python3 - <<'P'
import os, pathlib, records
d = pathlib.Path(os.environ['DATA'], 'images')
with open('mixed', 'wb') as f:
    for name in ('jpeg/420.jpg', 'broken/cut.jpg', 'png/rgb.png', 'broken/crc.png', 'jpeg/444.jpg'):
        f.write(records.frame(records.example({'image/encoded': records.bytes_list([(d / name).read_bytes()])})))
P
tfr bench-feed -q --device host --shuffle-buffer 0 -j 1 mixed > out 2> err; echo "status $?"; cat err
tfr bench-feed -q --json --device host --on-error skip mixed > out 2> err; echo "status $?"; cat err
python3 -c 'import json; j = json.load(open("out")); print(j["records"], j["skipped"])'
head -c 3000 mixed > cut
tfr bench-feed -q --device host cut > out 2> err; echo "status $?"; cat err
tfr bench-feed -q --device host nowhere; echo "status $?"
: > empty; tfr bench-feed -q --device host empty > /dev/null; echo "status $?"
tfr bench-feed -q --device host "$DATA/images/jpeg/420.jpg" > /dev/null 2>&1; echo "status $?"
