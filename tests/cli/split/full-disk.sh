# No room: status 3, the reason, nothing left behind of any set, and what was there is as it was.
trap '' XFSZ
python3 "$TOOLS/labelled.py" in 0 8000
mkdir out; echo old > out/a
for by in '' '--stratify label'; do
  ( ulimit -f 64; tfr split -q -f in $by -o out/c=0.05 -o out/a=0.05 -o out/b ) 2> err; echo "status $?: $(head -n 1 err)"
  ls -A out; cat out/a
done
# A temporary file that cannot grow says what it takes.
( ulimit -f 8; tfr split -q in --stratify label -m 1 --tmpdir . -o out/d=0.05 ) 2> err; echo "status $?"; cat err
ls -A out
