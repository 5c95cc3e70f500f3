# A length that its CRC vouches for and the file does not hold: refused at once, and nothing allocated by the claim.
[ -n "${SANITIZED-}" ] || ulimit -v 400000
for length in 0x100000 0x1000000000 0x10000000000 0x7ffffffffffffffb 0x7ffffffffffffffc 0x8000000000000000 \
    0xfffffffffffffff0 0xfffffffffffffffb 0xffffffffffffffff; do
  python3 "$DATA/records.py" forge $length > forged
  tfr count forged > out 2> err; echo "$length file: $? $(cat out err)"
  cat forged | tfr count > out 2> err; echo "$length pipe: $? $(cat out err)"
  tfr count --sum forged > out 2> err; echo "$length sum: $?"
  gzip -c forged > forged.gz
  tfr count forged.gz > out 2> err; echo "$length gzip: $? $(cat out err)"
done
