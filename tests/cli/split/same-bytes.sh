# The same bytes for any -j and -m; a small -m goes to disk in earnest, a large one does not need the folder.
for n in 0 1 2 3 4; do python3 "$TOOLS/labelled.py" in$n $((n * 3000)) $((n * 3000 + 3000)) 9000 20; done
tfr split -q in? --stratify label --key key -m 64K --tmpdir nowhere -o x=0.5 2> err; echo "status $?"; cat err
tfr split -q in? --stratify label --key key -m 1G --tmpdir nowhere -o x=0.5; echo "status $?"
cat in? > one; mkdir t1 t2
for by in '' '--key key' '--stratify label' '--stratify text --key key' '--stratify label --seed 8'; do
  for how in '-j 1' '-j 2' '-j 8 -m 8M' '-j 8 -m 64K --tmpdir t1 --tmpdir t2' '-j 1 -m 1' '-j 3 -m 1G'; do
    tfr split -q -f $by $how in? -o a@3=0.5 -o b@2=0.3 -o c
    md5sum [abc]-* c | md5sum
    tfr split -q -f $by $how one -o a@3=0.5 -o b@2=0.3 -o c
    md5sum [abc]-* c | md5sum
  done | sort -u | wc -l
done
ls -A . t1 t2
