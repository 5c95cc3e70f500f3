# --where counts what show and cat select, in all shapes of the answer.
python3 "$TOOLS/labelled.py" a 0 500; python3 "$TOOLS/labelled.py" b 500 1200; python3 "$TOOLS/labelled.py" c 2000 2001
for w in 'label == 1' 'label > 4 && id < 700' '!exists(nosuch)' 'text =~ "^cat$"'; do
  tfr count -q --where "$w" a b c; tfr cat -q --where "$w" a b c | tfr count -
done
tfr count -q --where 'label == 1' --per-file a b c
tfr count -q --where 'label == 1' --sum a b c > out; tfr cat -q --where 'label == 1' a b c | tfr count --sum - | cmp - out
tfr count -q --where 'label == 1' --sum --per-file -j 3 a b c | tail -n 1 | cut -f 1,2
tfr count -q --where 'label == 1' --json a b c
tfr count -q --where 'label == 1' --by text a b c; tfr count -q --where 'label == 77' --by text a; tfr count -q --where 'label == 77' a
tfr count --where 'labl == 1' a 2>&1; tfr count --where 'label ==' a 2> /dev/null; echo "status $?"
head -c 300 a > cut; tfr count -q --where 'label == 1' cut b > out 2> /dev/null; echo "status $? $(wc -c < out)"
tfr count --where 'label == 1' --manifest a 2> /dev/null; echo "status $?"
