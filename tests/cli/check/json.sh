python3 "$DATA/records.py" write alpha beta > whole
{ cat whole; printf 'tail'; } > tail
tfr check --json whole tail > out 2> /dev/null; echo "status $?"
python3 -c '
import json
j = json.load(open("out"))
print(j["version"], j["records"], j["files"], j["bad_files"])
for f in j["faults"]: print(f["file"], f["record"], f["offset"], f["reason"])'
