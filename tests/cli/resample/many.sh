# More classes than a table shows; the JSON has them all, and the manifest those that are labels.
python3 "$TOOLS/classes.py" make in 2 $(for n in $(seq 0 29); do echo "$n=$((n % 3 + 2))"; done)
tfr resample in@2 --by label --target uniform -o out@2.tfrecord 2> err; sed 's/in [0-9.]* s/in N s/' err
tfr resample -q in@2 --by label --target uniform -o other --json | python3 -c '
import json, sys
d = json.load(sys.stdin)
print(len(d["classes"]), d["version"], d["method"], d["seed"], d["total"], d["written"], d["classes"][29])'
python3 -c '
import json
d = json.load(open("out.2-tfrecord.manifest.json"))
print(d["seed"], len(d["classes"]), d["classes"][3])'
# JSON makes way for records.
tfr resample -q in@2 --by label --target uniform -o - --json 2> report | cmp - other
grep -c '"class"' report
