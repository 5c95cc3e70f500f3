# No records, one class, expressions that nothing matches.
: > nothing; python3 "$TOOLS/classes.py" make one 1 7=5
tfr resample nothing --by label --target uniform -o out --allow-empty 2> err; echo "status $?"; sed 's/skipped [0-9]*, //; s/in [0-9.]* s/in N s/' err; tfr count out 2> /dev/null
tfr resample -q nothing --by label --target 7=1 -o out2 2>&1; echo "status $?"
for m in exact oversample; do
  tfr resample -q nothing one@1 --by label --target uniform --method $m -o out -f; echo "status $?"
  cmp out one-00000-of-00001
done
tfr resample one@1 --class 'a=lable == 1' --class 'b=exists(txt)' --target uniform -o out -f 2> err; grep -v ^tfr.resample:.read err; cmp out one-00000-of-00001
tfr resample -q one@1 --by label --target uniform --where 'label == 8' -o out -f --allow-empty; echo "status $?"; tfr count -q out
