python3 "$DATA/records.py" write alpha beta > a
cp a b; cp a d; head -c 30 a > c; echo notes > d.idx
tfr index --json a b c d > out 2> err; echo "status $?"; cat out; cat err
tfr index --json a 
rm a.idx; truncate -s 5 b.idx
tfr index --json --check a b c; echo "status $?"
