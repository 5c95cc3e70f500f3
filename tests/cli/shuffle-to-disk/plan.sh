# What a dry run says; it writes nothing, and looks at no more than the beginnings.
truncate -s 4G hole
python3 - <<'P'
import records
with open('hole', 'r+b') as f:
    f.write(records.frame(b'first'))
P
tfr shuffle --dry-run -j 2 hole -o out -m 256M | sed 's/, [^ ]* [A-Z]iB free/, N free/'
tfr shuffle --dry-run -j 2 hole -o out -m 8G | sed 's/, [^ ]* [A-Z]iB free/, N free/'
tfr shuffle --dry-run -j 2 hole -o out -m 8M --json | python3 -c 'import json, sys; p = json.load(sys.stdin); del p["temp_free"]; print(p)'
cat "$DATA/members.tfrecord" | tfr shuffle --dry-run -j 2 -o out | sed 's/[^ ]* [A-Z]iB free/N free/'
tfr shuffle --dry-run -j 2 "$DATA"/kinds-gzip.tfrecord -o out | head -n 1
ls -A
# Space that is not there is refused before anything is read.
truncate -s 900T vast 2> /dev/null || truncate -s 8T vast
dd if=hole of=vast bs=64 count=1 conv=notrunc 2> err
tfr shuffle vast -o out -m 1G 2> err; echo "status $?: $(sed 's/[0-9.]* [A-Z]iB/N/g' err)"
