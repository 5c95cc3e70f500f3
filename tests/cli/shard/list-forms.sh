# Quotes within a cell, line ends, semicolons and other delimiters, texts for missing values, GZIP: what Python's csv and
# pandas read.
shard() { tfr shard -f "$@" -o a.tfrecord 2>&1 | sed 's/, bad 0.*//'; tfr show -q --json a.tfrecord; }
echo "quotes that do not begin a cell"
printf 'size,n\n5" pipe,1\n"6"" pipe",2\n"a"b",3\nx"",4\n"y","5"\n' > inches.csv; shard inches.csv
echo "CR alone"
printf 'a,b\r1,"2\r3"\r\r4,5' > cr.csv; shard cr.csv
echo "semicolons, and others that are given"
printf 'a;b\n1,5;"x;y"\n2;z\n' > semi.csv; shard semi.csv
printf 'a;b,c\n1,2\n' > both.csv; shard both.csv
printf 'a|b\n1|2\n' > pipes.csv; shard pipes.csv --delimiter '|'
printf 'a\tb\n1\t2\n' > tabs.csv; shard tabs.csv --delimiter tab
for d in '' '""' ';;' '"' é $'\n'; do tfr shard -f pipes.csv --delimiter "$d" -o a.tfrecord 2>&1; echo "status $?"; done
tfr shard -f --from jsonl pipes.csv --na NA -o a.tfrecord 2>&1; echo "status $?"
echo "missing values"
printf 'id,age,h,name\n1,NA,1.5,NA\n2,30,,x\n3,,2,y\n4,NULL,?,z\n' > na.csv; shard na.csv
shard na.csv --na 'NA,NULL,?'
shard na.csv --types age=int
printf 'a,b\n1,2\n,3\n' > gap.csv; shard gap.csv
echo "GZIP"
gzip -k na.csv; printf '{"x": 1}\n{"x": 2}\n' | gzip > x.jsonl.gz; printf 'a\tb\n1\t2\n' | gzip > t.TSV.gz
mkdir tmp; shard na.csv.gz --na 'NA,NULL,?' --tmpdir tmp; cp a.tfrecord b.tfrecord
shard -q na.csv --na 'NA,NULL,?'; cmp a.tfrecord b.tfrecord; ls tmp
shard x.jsonl.gz; shard t.TSV.gz
head -c 60 na.csv.gz > cut.csv.gz; tfr shard -f cut.csv.gz -o a.tfrecord 2>&1; echo "status $?"
tfr shard -f na.csv.gz --tmpdir gone -o a.tfrecord 2>&1; echo "status $?"
tfr shard -f na.csv --tmpdir tmp -o a.tfrecord 2>&1; echo "status $?"
echo "files that need another program first"
echo '[{"a": 1}]' > x.json; printf 'PAR1....PAR1' > x.parquet; printf 'PK\3\4' > x.npz
tfr shard -f x.json -o a.tfrecord 2>&1; tfr shard -f x.parquet -o a.tfrecord 2>&1; tfr count x.npz 2>&1
python3 -c "import json; [print(json.dumps(x)) for x in json.load(open('x.json'))]" > x.jsonl; shard x.jsonl
echo "random tables, as Python reads them"
python3 - << 'END'
import csv, io, random, subprocess, json
rng = random.Random(7)
for k in range(60):
    delimiter = rng.choice(',;\t')
    text = 'a%sb\n' % delimiter + ''.join(rng.choice('x"" ,;\t\n\n') for i in range(rng.choice([20, 300])))
    try:
        rows = [r for r in csv.reader(io.StringIO(text, newline=''), delimiter=delimiter, strict=False) if len(r) == 2][1:]
    except csv.Error:
        continue
    open('r.csv', 'w').write(text)
    done = subprocess.run(['tfr', 'shard', '-qf', 'r.csv', '--max-skipped', '100', '--types', 'a=bytes,b=bytes', '--delimiter',
                           'tab' if delimiter == '\t' else delimiter, '-o', 'r.tfrecord'], capture_output=True, text=True)
    if 'never closed' in done.stderr or not rows:
        continue
    shown = subprocess.run(['tfr', 'show', '-q', '--json', 'r.tfrecord'], capture_output=True, text=True).stdout
    got = [json.loads(line) for line in shown.splitlines()]
    # An unquoted empty cell has no feature, which Python cannot tell from a quoted one.
    got = [[g.get('a', [''])[0], g.get('b', [''])[0]] for g in got]
    assert got == rows, (text, got, rows, done.stderr)
print('as Python')
END
