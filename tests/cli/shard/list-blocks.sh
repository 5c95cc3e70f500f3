# Lists of several blocks: quoted line breaks across them, a row longer than a block, and the same bytes for any -j.
exec 2>&1
awk 'BEGIN {
	for (long = "0123456789"; length(long) < 1500000;) long = long long
	print "id,text,n"
	for (i = 0; i < 40000; i++) {
		if (i == 20000) t = "\"" long "\n" long "\""
		else if (i % 3 == 0) t = "\"line " i "\n,\"\"quoted\"\"\n\n\""
		else t = "text " i
		print i "," t "," i / 4
	}
}' >t.csv
for j in 1 3; do
	mkdir -p j$j && tfr shard -q -j $j t.csv -o j$j/t@3.tfrecord && cat j$j/t-* | sha256sum >$j.sum
done
cmp 1.sum 3.sum
tfr shard -q -j 3 t.csv -o t.tfrecord
tfr export -q --columns id,text,n t.tfrecord -o back.csv && cmp t.csv back.csv && echo the same table
tfr export -q t.tfrecord -o t.jsonl && wc -l <t.jsonl
tfr shard -q -j 3 t.jsonl -o back@3.tfrecord && cat back-* | cmp - <(cat j3/t-*) && echo the same records
# The kind of a column follows from all blocks, and its first odd value is named by its line.
{ cat t.csv; echo '40000,x,9223372036854775808'; } >big.csv && tfr shard -q big.csv -o big.tfrecord && tfr show -q --json --skip 40000 big.tfrecord
{ cut -d, -f1 t.csv | grep -E '^(id|[0-9]+)$'; echo 9223372036854775808; } >ids.csv; tfr shard -q -j 3 ids.csv -o ids.tfrecord
# So is a line break of another kind, and a quote that is never closed.
{ cat t.csv; printf '1,x\ry,2\n'; cat t.csv; } >quote.csv; tfr shard -q -j 3 quote.csv -o quote.tfrecord
{ cat t.csv; echo '1,"xy,2'; tail -n +2 t.csv | tr -d '"'; } >open.csv; tfr shard -q -j 3 open.csv -o open.tfrecord
# A bad row keeps its place and is reported by its line.
{ cat t.jsonl; echo '{"id": 1, '; cat t.jsonl; echo '{"id": [1]}'; } >bad.jsonl
for j in 1 3; do tfr shard -j $j bad.jsonl -o bad$j@3.tfrecord 2>&1 | sed 's/ in [0-9.]* s,/ in N s,/'; cat bad$j-* | sha256sum >bad$j.sum; done; cmp bad1.sum bad3.sum
tfr shard -q --on-error fail -j 3 bad.jsonl -o none.tfrecord
