# Two passes cannot be made over a pipe, and that is said by name; one pass can.
python3 "$TOOLS/classes.py" make in 2 0=90 1=10
tfr cat -q in@2 | tfr resample -q --by label --target uniform -o out 2>&1; echo "status $?"
mkfifo pipe
tfr resample -q in@2 pipe --by label --target uniform -o out 2>&1; echo "status $?"
ls -A
printf '0\t9\n1\t1\n' > shares.tsv
tfr cat -q in@2 | tfr resample --by label --target uniform --initial shares.tsv --method reject -o out 2>&1 | sed 's/in [0-9.]* s.*/in N s/'
python3 "$TOOLS/classes.py" count label out | tail -n 1
# A pipe is a file: the draws are those of the same records in one file, counted.
tfr cat -q in@2 -o one; tfr resample -q one --by label --target uniform --method reject -o - | cmp - out
# Distributions from a pipe are read as well.
tfr resample -q in@2 --by label --target <(printf '0\t1\n') -o out -f; python3 "$TOOLS/classes.py" count label out
