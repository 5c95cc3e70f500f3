# CSV by RFC 4180: quotes, lines within them, absent and empty cells, kinds by all values.
printf '\xef\xbb\xbfname,label,score,zip,big,gone\r\n' > a.csv
printf 'foo,1,1.5,01234,9223372036854775807,\r\n' >> a.csv
printf '"a ""b"", c\nsecond line",-7,2,9,9223372036854775808,\r\n\r\n' >> a.csv
printf ' x ,3,nan,"",7,' >> a.csv
tfr shard a.csv --types big=bytes -o a@2.tfrecord 2> err; echo "status $?"; sed 's/in [0-9.]* s/in N s/' err
tfr show -q --json a-00000-of-00002.tfrecord; tfr show -q --json a-00001-of-00002.tfrecord
echo "types"
tfr shard -q a.csv --types zip=bytes,label=float --types big=bytes -o b.tfrecord; tfr show -q --json b.tfrecord
echo "pipe: the first value decides"
printf 'a,b\n1,x\n2.5,y\n3,4\n' | tfr shard --from csv - -o d.tfrecord 2> err; echo "status $?"; sed 's/in [0-9.]* s/in N s/' err
tfr show -q --json d.tfrecord
printf 'a,b\n1,x\n2.5,y\n3,4\n' | tfr shard -q --from csv --types a=float - -o e.tfrecord; tfr show -q --json e.tfrecord
echo "the same for any -j, and as a permutation"
for i in $(seq 3000); do echo "$i,$((i % 7)).5,row $i"; done | sed '1i n,x,text' > many.csv
tfr shard -q many.csv -j1 -o j1@3.tfrecord; tfr shard -q many.csv -j4 -m1K -o j4@3.tfrecord
for k in 0 1 2; do cmp j1-0000$k-of-00003.tfrecord j4-0000$k-of-00003.tfrecord; done
tfr shard -q --from csv - -o s@3.tfrecord < many.csv
for k in 0 1 2; do cmp j1-0000$k-of-00003.tfrecord s-0000$k-of-00003.tfrecord; done
tfr shard -q --shuffle --seed 5 many.csv -o p.tfrecord
tfr count --sum p.tfrecord | cut -f2 > p; tfr count --sum j1@3.tfrecord | cut -f2 | cmp - p
cmp -s <(tfr cat p.tfrecord) <(tfr cat j1@3.tfrecord) || echo shuffled
echo "a row stays in its set when others come and go"
tfr shard -q many.csv -o t.tfrecord=0.8 -o v.tfrecord=0.2
sed 2,500d many.csv | tfr shard -q --from csv --types n=int,x=float,text=bytes - -o t2.tfrecord=0.8 -o v2.tfrecord=0.2
tfr show -q --json t.tfrecord v.tfrecord | wc -l
comm -13 <(tfr show -q --json v.tfrecord | sort) <(tfr show -q --json v2.tfrecord | sort)

echo "no lines of text"
printf 'a,b\n1,2\n' > text.csv; gzip -c text.csv > packed.csv; iconv -f UTF-8 -t UTF-16 text.csv > wide.csv
for f in packed wide; do tfr shard $f.csv -o x.tfrecord 2>&1; tfr shard - --from csv -o x.tfrecord < $f.csv 2>&1 | head -1; done; ls x.* 2>&1 || true
