# Full temporary folder: what is needed is said; with a second one it goes on there.  Full target: nothing is left.
unshare --mount true 2> /dev/null || { echo 'mounting is not permitted'; exit 77; }
python3 - <<'P'
import records
with open('in', 'wb') as f:
    for i in range(30000):
        f.write(records.frame(b'%d:' % i + b'x' * 1000))
P
unshare --mount bash -uc '
  mkdir small large && mount -t tmpfs -o size=10m tmpfs small && mount -t tmpfs -o size=100m tmpfs large || exit 77
  cat in > piped.tfrecord
  tfr shuffle -q -m 8M in -o out --tmpdir small 2> err; echo "status $?: $(cat err)"
  tfr cat -q in | tfr shuffle -q -m 8M - -o out --tmpdir small 2> err; echo "status $?: $(sed "s/^hint: [0-9.]* MiB/hint: N/" err)"
  tfr shuffle -q -m 8M in -o out --tmpdir small --tmpdir large; echo "status $?"
  tfr count --sum in out
  tfr shuffle -q -m 8M in -o small/out --tmpdir large 2> err; echo "status $?: $(cat err)"
  tfr shuffle -q in -o small/set@4 2> err; echo "status $?: $(sed s/-0000.-/-N-/ err)"
  ls -A small large'
