# Counted by a feature of records that are absurd, or forged.
[ -n "${SANITIZED-}" ] || ulimit -v 1500000
python3 "$TOOLS/hostile.py"
tfr count -q --by f99999 features; echo "status $?"
tfr count -q --by v values | wc -l
tfr count -q --by v texts; echo "status $?"
tfr count -q --by t long | wc -c
for f in forged? claim?; do
  tfr count -q --by v $f 2>&1; echo "status $?"
done
