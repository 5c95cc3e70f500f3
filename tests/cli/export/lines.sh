# Lines of JSON hold every record; a table has a column a feature.
tfr export -q "$DATA/kinds.tfrecord" -o k.jsonl; echo "status $?"; cat k.jsonl
tfr export -q "$DATA/payloads.tfrecord" -n 3 -o - --to jsonl
tfr export -q "$DATA/kinds.tfrecord" -o k.csv; echo "status $?"; cat k.csv
python3 - <<'P'
import csv, json
rows = list(csv.DictReader(open('k.csv', newline='')))
lines = [json.loads(line) for line in open('k.jsonl')]
assert len(rows) == len(lines)
for row, line in zip(rows, lines):
    for name, cell in row.items():
        if name not in line or name == 'unset':   # which is no value, and not none of them
            assert cell == '', (name, cell)
            continue
        values = line[name]
        if cell[:1] == '[':
            assert json.loads(cell) == values
        elif cell[:1] == '{':
            assert [json.loads(cell)] == values
        else:
            assert len(values) == 1 and (cell == values[0] or float(cell) == values[0]), (cell, values)
print('equal')
P
tfr export -q "$DATA/images.tfrecord" --columns image/filename,image/width,nothing --skip 1 --limit 2 -o - --to csv
tfr export -q "$DATA/kinds.tfrecord" --columns a,, -o x.csv 2>&1; echo "status $?"
tfr export -q "$DATA/kinds.tfrecord" --columns a -o x.jsonl 2>&1; echo "status $?"
tfr export -q --to csv -o x.csv < "$DATA/kinds.tfrecord" 2>&1; echo "status $?"
tfr export -q --to csv --columns a -o - < "$DATA/kinds.tfrecord"; echo "status $?"
tfr export -q "$DATA/payloads.tfrecord" -o x.csv 2>&1 | sed "s|$DATA|DATA|"; echo "status ${PIPESTATUS[0]}"
for j in 1 6; do tfr export -q -j $j "$DATA/images.tfrecord" -o p$j.jsonl; done; cmp p1.jsonl p6.jsonl
ls -A | grep -e ^x -e tmp
echo "a column whose name begins as a comment does"
printf '"#id",t\n5,#x\n' > hash.csv; tfr shard -q hash.csv -o hash.tfrecord; tfr export -q hash.tfrecord -o back.csv; cat back.csv
tfr shard -q back.csv -o again.tfrecord; cmp hash.tfrecord again.tfrecord
exit 0
