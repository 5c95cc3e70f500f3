# Names of members with a NUL, given twice, as a path and as a name; empty names, empty values.
try() {
	printf '%s\n' "$2" >in.jsonl
	echo "$1:"
	tfr shard in.jsonl -o out.tfrecord -f --max-skipped 100 --allow-empty 2>&1 | sed '/read /d'
	cat in.jsonl | tfr shard --from jsonl - -o piped.tfrecord -f --max-skipped 100 --allow-empty 2>&1 |
		sed '/read /d'
	cmp out.tfrecord piped.tfrecord
	tfr show --json out.tfrecord
}
try 'two names with a NUL' '{"a\u0000b":1,"a\u0000c":2}'
try 'in an object' '{"a":{"b\u0000":1}}'
try 'in a list' '{"a":[{"b\u0000":1}]}'
try 'in a value' '{"a":"\u0000","b":"\\\"\\u0000:"}'
try 'a NUL and backslashes' '{"a\\u0000b":1,"\\":2,"\\\\u0000":3,"a\u00001":4}'
try 'a backslash' '{"a\\u0000b":1,"\\":2,"\\\\u0000":3,"\"":4}'
try 'one name twice' '{"a":1,"b":2,"a":3}'
try 'one name by two spellings' '{"a":1,"\u0061":3}'
try 'in an object' '{"o" : {"a"	: 1, "a" : 2}}'
try 'one name in two objects' '{"o":{"a":1},"p":{"a":2}}'
try 'a name and a path' '{"a":{"b":1},"a/b":2}'
try 'a name and a path, empty' '{"a":{"":1},"a/":[]}'
try 'an empty name' '{"":1}'
try 'empty names' '{"":{"":1}}'
try 'empty bytes' '{"bytes":[{"base64":""}],"text":[""],"none":[]}'

echo links and empty files in a WebDataset:
: >a.txt
: >a.cls
ln -s a.txt b.txt
echo 3 >d.cls
ln d.cls e.cls
tar cf links.tar a.txt b.txt d.cls e.cls
tar cf empty.tar a.cls
for f in links empty; do
	tfr shard --from webdataset $f.tar -o $f.tfrecord -f --max-skipped 100 --allow-empty 2>&1 |
		sed '/read /d'
	gzip -c $f.tar | tfr shard --from webdataset - -o piped.tfrecord -f --max-skipped 100 --allow-empty 2>/dev/null
	cmp $f.tfrecord piped.tfrecord
	tfr show --json $f.tfrecord
done
