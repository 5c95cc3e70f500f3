# 256 open files are enough, however many shards, inputs and threads there are.
for n in $(seq 300); do cp "$DATA/members.tfrecord" in-$n.tfrecord; done
ulimit -n 256
tfr shuffle -q -j 64 -m 1G 'in-*.tfrecord' -o all@700.tfrecord && tfr count all@700.tfrecord
tfr check all@700.tfrecord && ls -A | grep -c '^\.'
tfr count "$DATA/members.tfrecord"
