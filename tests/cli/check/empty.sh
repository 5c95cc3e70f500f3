# A 0-byte file is a valid empty file: a warning, status 0.
: > nothing
tfr check nothing 2> err; echo "status $?"; head -n 1 err
: | tfr check 2> err; echo "status $?"
tfr check -q nothing 2>&1; echo "status $?"
