# --dry-run of dedup, split, resample and repair prints the figures of a real run, refuses what it would refuse, and writes nothing.
exec 2>&1
python3 "$TOOLS/labelled.py" in 0 300; cat in in > twice; head -c 5000 in > torn; printf 'x' | dd of=torn bs=1 seek=200 conv=notrunc status=none
line() { sed 's/ in [0-9.]* s//'; }
both() { # COMMAND...: the real run after the dry one; the listings of the folder before and after the dry one are equal
  ls -A | grep -v '^\(before\|dry\|real\)$' > before
  "$@" --dry-run > dry 2>&1; echo "$1 $2: status $?"; ls -A | grep -v '^\(before\|dry\|real\)$' | cmp - before && echo "nothing written"
  "$@" > real 2>&1; echo "status $?"; line < dry | sed 's/dry run: //' | diff - <(line < real)
}
both tfr dedup twice -o unique@2
both tfr split in --stratify label -o a@2=0.5 -o b.gz=0.25 -o c
both tfr resample in --by label --target uniform -o even@3
both tfr dedup twice -o quarantined --on-error quarantine=lost
echo "refused:"; tfr dedup twice -o unique@2 --dry-run; echo "status $?"; tfr dedup twice -o unique@3 --dry-run; echo "status $?"
tfr dedup twice -o nowhere/x@2 --dry-run; echo "status $?"; tfr split in -o a@2=0.5 -o d --dry-run -q; echo "status $?"
tfr dedup twice -o y --dry-run --report r; echo "status $?"; tfr dedup twice -o y --dry-run --expect 7; echo "status $?"
echo "repair:"; tfr repair torn --dry-run -o kept; echo "status $?"; ls kept*; tfr repair torn -o kept 2> err; echo "status $?"; head -n 2 err
tfr repair torn --dry-run -o kept; echo "status $?"; tfr dedup twice --dry-run -o - 2> /dev/null | wc -c
echo "old names:"; tfr dedup twice -o - --by id -q | tfr count; tfr resample in --by label --target uniform --size 12 -o - -q | tfr count
