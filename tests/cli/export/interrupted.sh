# A signal ends it as a signal does, and leaves nothing behind, whenever it comes.
mkdir -p in/a && for i in $(seq 300); do cp "$DATA/media/420.jpg" in/a/$i.jpg; done
tfr shard -q in -o t.tfrecord
for n in $(seq 20); do cat t.tfrecord; done > many.tfrecord
for to in out out.tar out.jsonl; do
  for wait in 0.01 0.03 0.1; do
    rm -rf $to; tfr export -q many.tfrecord -o $to 2> err & pid=$!
    sleep $wait
    kill -TERM $pid 2> /dev/null
    wait $pid; status=$?
    [ $status = 143 ] || [ $status = 0 ] || echo "status $status"
    cat err; ls -A | grep tmp
  done
done 2> /dev/null
echo clean
