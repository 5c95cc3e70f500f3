# Two passes cannot be made over a pipe, and that is said by name.
python3 "$TOOLS/classes.py" make in 2 0=90 1=10
tfr cat -q in@2 | tfr resample -q --by label --target uniform -o out 2>&1; echo "status $?"
mkfifo pipe
tfr resample -q in@2 pipe --by label --target uniform -o out 2>&1; echo "status $?"
ls -A
# Distributions from a pipe are read.
tfr resample -q in@2 --by label --target <(printf '0\t1\n') -o out -f; python3 "$TOOLS/classes.py" count label out
