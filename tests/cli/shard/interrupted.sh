# A signal ends it as a signal does, and leaves no temporary behind, whenever it comes.
mkdir -p in/a
for i in $(seq 300); do cp "$DATA/media/420.jpg" in/a/$i.jpg; done
for wait in 0 0.01 0.03 0.1; do
  rm -rf out; mkdir out
  tfr shard -q in -o out/t@64 2> /dev/null & pid=$!
  sleep $wait
  kill -TERM $pid 2> /dev/null
  wait $pid; status=$?
  [ $status = 143 ] || [ $status = 0 ] || echo "status $status"
  ls -A out | grep -F .tmp
done 2> /dev/null
echo clean
