# An index beside its file changes nothing for those who read the set, by whatever name.
tfr cat -q "$DATA/members.tfrecord" -o 'train@3.tfrecord'
before=$(tfr count --sum 'train-*' .)
tfr index -q 'train-*'; ls
[ "$(tfr count --sum 'train-*' .)" = "$before" ] && echo same
tfr count 'train@*.tfrecord'
tfr count 'train-*.idx' 2>&1 | head -n 1
tfr index --check -q .; echo "status $?"
