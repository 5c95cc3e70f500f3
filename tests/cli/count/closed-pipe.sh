# A closed pipe ends it quietly, as SIGPIPE would.
mapfile -t many < <(for i in $(seq 3000); do echo "$DATA/members.tfrecord"; done)
( trap '' PIPE; tfr count --per-file "${many[@]}" ) 2> err | head -n 1 > /dev/null
echo "ignored SIGPIPE: $(cat err | wc -l) lines"
tfr count --per-file "${many[@]}" 2> err | true
echo "${PIPESTATUS[0]} $(wc -l < err)"
