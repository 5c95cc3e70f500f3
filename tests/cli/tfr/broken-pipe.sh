# When the reader of a pipe goes away, the temporary files are removed and the process dies of SIGPIPE, without a word,
# whatever its parent did with that signal.
for n in $(seq 400); do echo "$DATA/members.tfrecord"; done > list.txt
for n in $(seq 20); do echo "$DATA/images.tfrecord"; done > list.images # more than a pipe holds
head -c 100 "$DATA/members.tfrecord" > torn.tfrecord
{ echo torn.tfrecord; cat list.txt; } > torn.txt
try() { "$@" 2> err | true; echo "${PIPESTATUS[0]} $(wc -l < err) $(ls -A | grep -v -e '^\(list\|torn\)\.' -e '^err$' | tr '\n' ' ')"; }
try tfr cat --on-error quarantine=lost @torn.txt
try tfr show @list.txt
try tfr count --per-file @list.txt
try tfr shuffle-to-disk @list.txt -o -
try tfr dedup --report left @list.txt -o -
try tfr shuffle-to-disk --on-error quarantine=lost @torn.txt -o -
try tfr repair --on-error quarantine=lost @torn.txt -o -
try tfr export --to jsonl @list.images -o -
(trap '' PIPE; try tfr cat --on-error quarantine=lost @torn.txt)
try python3 -c 'import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGPIPE])
os.execvp("tfr", sys.argv[1:])' tfr cat --on-error quarantine=lost @torn.txt
