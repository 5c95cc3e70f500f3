# A record above a quarter of the memory is refused by name, whatever its size is said to be; no abort.
python3 - <<'P'
import records
with open('in', 'wb') as f:
    f.write(records.frame(b'small'))
    f.write(records.frame(bytes(5 << 20)))
P
say() { echo "status $?: $(cat err)"; }
tfr shuffle -m 8M in -o out 2> err; say
tfr shuffle -m 16M in -o out 2> err; say
tfr shuffle -q -m 64M in -o out && tfr count --sum in out
tfr shuffle -m 8M in -o - 2> err < /dev/null | wc -c
