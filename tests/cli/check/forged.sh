# Nothing is allocated by what a length claims, and one forged record does not end the check.
[ -n "${SANITIZED-}" ] || ulimit -v 600000
for length in 0x100000 0x1000000000 0x7fffffffffffffff 0xfffffffffffffff0; do
  { python3 "$DATA/records.py" write alpha; python3 "$DATA/records.py" forge $length; } > forged
  tfr check -q forged; echo "status $?"
  tfr check -q - < forged > /dev/null; echo "pipe: status $?"
  tfr cat -q forged > /dev/null 2>&1; echo "cat: status $?"
  tfr show -q forged > /dev/null 2>&1; echo "show: status $?"
done
# The end of a file, read as a length of 2^64 - 4 to 2^64 - 1, with and without a record before it.
python3 "$DATA/records.py" write alpha > one
for n in 12 13 14 15; do
  python3 -c "import struct, sys; sys.stdout.buffer.write(struct.pack('<Q', 2**64 - 16 + $n) + bytes($n - 8))" > tail
  cat one tail > forged
  for c in 'check -q' 'count' 'count --sum' stats 'cat -o -' show; do tfr $c -q forged > out 2>&1; echo "$c: $?"; done
  tfr check -q tail; echo "no record: $?"
done | sort | uniq -c
