# What was whole is shown, then the reason, status 1.
head -c 200 "$DATA/kinds.tfrecord" > cut
tfr show -q cut; echo "status $?"
tfr show -q "$DATA/images/jpeg/420.jpg" 2> err; echo "status $?: $(sed "s|$DATA/||" err)"
