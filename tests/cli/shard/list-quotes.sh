# Empty lines within quotes, blanks, byte order marks and tabs, from files and pipes; quotes that mean nothing in TSV.
both() { # KIND FILE: the rows from the file, and the same from a pipe
	tfr shard -f "$2" --from "$1" -o a.tfrecord 2>&1 | sed 's/in [0-9.]* s/in N s/'; echo "status ${PIPESTATUS[0]}"
	tfr show -q --json a.tfrecord
	tfr shard -q -f --from "$1" - -o b.tfrecord < "$2" 2> /dev/null; cmp a.tfrecord b.tfrecord
}
printf 'x,y\n"a\n\nb",1\n2,3\n' > lines.csv; both csv lines.csv
printf 'x,y\r\n"a\r\n\r\n",1\r\n\r\n  \r\n"\r\n\r\n",3' > crlf.csv; both csv crlf.csv
echo "one column: blanks are a cell, an empty line is none"
printf 'x\n  \n\n""\n"\n"\nlast' > one.csv; both csv one.csv
echo "a byte order mark before quotes, and before JSON"
printf '\xef\xbb\xbf"x","y"\n"1","2"\n' > mark.csv; both csv mark.csv
printf '\xef\xbb\xbf{"x": 1}\n{"x": 2}\n' > mark.jsonl; both jsonl mark.jsonl
echo "tabs"
printf 'x\ty\n"a\tb\n\n""c"""\t1\n\t\n \t2\n' > tabs.tsv; both tsv tabs.tsv
echo "tabs, and quotes that mean nothing, which the command of the hint quotes"
quoted() { sed 's/"/""/g; s/[^\t\r]*"[^\t\r]*/"&"/g' "$1" > quoted.tsv; both tsv quoted.tsv; }
printf 'x\ty\n"Yes," he said.\t1\n5"\t2\n' > raw.tsv; both tsv raw.tsv; quoted raw.tsv
printf 'x\ty\n"Yes\t1\nNo\t2\n' > open.tsv; both tsv open.tsv; quoted open.tsv
printf 'a\tb\tc\r\n"x\t1\t\r\n\t2\ty"\r\n\t\t\r\n' > crlf.tsv; quoted crlf.tsv
tfr shard --from tsv-raw raw.tsv -o c.tfrecord 2>&1; echo "status $?"
