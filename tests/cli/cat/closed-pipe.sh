# As `yes | head`: killed by SIGPIPE, without a word.
for n in $(seq 200); do echo "$DATA/payloads.tfrecord"; done > list.txt
tfr cat @list.txt 2> err | true; echo "${PIPESTATUS[0]} $(cat err)"
tfr show @list.txt 2> err | true; echo "${PIPESTATUS[0]} $(cat err)"
