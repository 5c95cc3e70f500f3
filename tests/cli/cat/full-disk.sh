# No room: status 3, the reason, nothing left behind, and what was there is as it was.
trap '' XFSZ
for n in $(seq 200); do echo "$DATA/payloads.tfrecord"; done > list.txt
cp "$DATA/members.tfrecord" old
( ulimit -f 64; tfr cat -q @list.txt -o new ) 2> err; echo "status $?: $(head -n 1 err)"
( ulimit -f 64; tfr cat -q @list.txt -f -o old ) 2> err; echo "status $?: $(head -n 1 err)"
cmp old "$DATA/members.tfrecord"
( ulimit -f 64; tfr cat -q @list.txt -o set@2.tfrecord ) 2> err; echo "status $?: $(head -n 1 err)"
tfr cat -q @list.txt > /dev/full 2> err; echo "status $?: $(head -n 1 err)"
ls -A
