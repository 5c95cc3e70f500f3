# A file system that is full in earnest, under the second set: nothing of the first; or under the temporary file.
unshare --mount true 2> /dev/null || { echo 'mounting is not permitted'; exit 77; }
python3 "$TOOLS/labelled.py" in 0 8000
unshare --mount bash -uc '
  mkdir small large tiny && mount -t tmpfs -o size=256k tmpfs small && mount -t tmpfs -o size=32k tmpfs tiny || exit 77
  for by in "" "--stratify label" "--key id"; do
    tfr split -q in $by -o large/a@2=0.2 -o small/b@2; echo "status $?"
    ls -A large small
  done
  # Little enough to be held back in memory until the sets are sealed: the last moment at which the first is unseen.
  tfr split -q in -o large/a@2=0.1 -o tiny/b@2=0.1 2> err; echo "status $?"; sed "s/-0000[01]-/-N-/" err
  ls -A large tiny
  tfr split -q in --stratify label -m 1 --tmpdir tiny -o large/a=0.2; echo "status $?"
  ls -A large tiny
' 2>&1
