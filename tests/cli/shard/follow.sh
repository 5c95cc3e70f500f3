# An epoch a writer: whole ones are sets, the open one goes with the signal, and nothing half is there.
mkfifo pipe; mkdir out
for i in 0 1 2 3 4; do echo "record $i"; done | tfr cat -q --from lines -o five.tfrecord
await() { for i in $(seq 2000); do [ -e "$1" ] && return; sleep 0.01; done; echo "no $1"; }
tfr shard --follow pipe -o 'out/ep-{epoch}@2.tfrecord' 2> err & pid=$!
tfr cat -q five.tfrecord > pipe; await out/ep-0.2-tfrecord.manifest.json
tfr cat -q five.tfrecord five.tfrecord > pipe; await out/ep-1.2-tfrecord.manifest.json
: > pipe                                    # came, wrote nothing, went
tfr cat -q five.tfrecord > pipe; await out/ep-2.2-tfrecord.manifest.json
{ head -c 30 five.tfrecord; await out/.ep-3-00001-of-00002.tfrecord.tmp; kill -TERM $pid; sleep 0.2; } > pipe
wait $pid; echo "status $?"
sed 's/ in .*//' err
ls -A out; tfr count --per-file out/ep-1@2.tfrecord; tfr check -q out --manifest && echo whole
# A cut or damaged epoch ends it; those before stay.
tfr shard -q --follow pipe -o 'out/{epoch}.d@1' & pid=$!
head -c 30 five.tfrecord > pipe; wait $pid; echo "status $?"
ls -A out | grep -cF .d-
tfr shard --per-epoch --from records pipe -o out/x@1; echo "status $?"
tfr shard --follow pipe -o out/x@1; echo "status $?"
tfr shard --follow five.tfrecord -o 'out/{epoch}@1'; echo "status $?"
