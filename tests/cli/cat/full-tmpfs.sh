# A file system that is full in earnest.
unshare --mount true 2> /dev/null || { echo 'mounting is not permitted'; exit 77; }
for n in $(seq 200); do echo "$DATA/payloads.tfrecord"; done > list.txt
unshare --mount bash -uc '
  mkdir small && mount -t tmpfs -o size=256k tmpfs small || exit 77
  tfr cat -q @list.txt -o small/new; echo "status $?"
  tfr cat -q @list.txt -o small/set@4.tfrecord; echo "status $?"
  ls -A small'
