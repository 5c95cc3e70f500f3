# Refused, never ignored.
tfr count --nonsense x; echo "status $?"
tfr count --per x; echo "status $?"
tfr count --per-file=1 x; echo "status $?"
tfr count -j; echo "status $?"
tfr count -j two x; echo "status $?"
tfr count --compression lz4 x; echo "status $?"
tfr frobnicate; echo "status $?"
tfr coutn; echo "status $?"
