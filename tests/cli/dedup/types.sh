# A file that holds no Examples is refused by what it holds.
exec 2>&1
for f in elwc events json nucleus tensors; do
  tfr dedup --key a -o out "$DATA/types/$f" 2>&1 | sed "s|$DATA/||"; echo "status ${PIPESTATUS[0]}"
done
ls
