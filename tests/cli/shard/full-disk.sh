# No room: status 3 with the reason, no shard, no manifest, no temporary.
trap '' XFSZ
mkdir in && ln -s "$DATA/images/jpeg" "$DATA/images/png" in
mkdir out
( ulimit -f 4; tfr shard in -q -o out/t@2.tfrecord ) 2> err; echo "status $?"; sed 's/-0000[01]-/-N-/' err
ls -A out
