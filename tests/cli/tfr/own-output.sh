# An input that standard output goes to would grow as it is read.  It is refused, by whatever name it is read.
cp "$DATA/members.tfrecord" f.tfrecord && ln f.tfrecord hard.tfrecord && ln -s f.tfrecord soft.tfrecord
printf '{"x":1}\n' > rows.jsonl && mkdir d && tfr cat -q f.tfrecord -o d/s@2.tfrecord
ls d/*.tfrecord f.tfrecord > list.txt
try() { timeout 20 "$@" 2>&1 >> f.tfrecord | sed 's/^/  /'; echo "${PIPESTATUS[0]} $*"; }
try tfr cat f.tfrecord
try tfr cat -q list.txt hard.tfrecord
try tfr cat @list.txt
try tfr cat soft.tfrecord
try tfr cat --follow f.tfrecord
try tfr cat --mix f.tfrecord=1
for c in 'cat -o -' 'show' 'count' 'check' 'schema' 'stats' 'index --check' 'repair -o -' 'shuffle-to-disk -o -' \
  'resample --by x -o -' 'dedup -o -' 'export --to jsonl -o -' 'shard -o -' 'doctor' 'diff rows.jsonl' 'diff d'; do
  try tfr $c f.tfrecord
done
try tfr shard -o - 'f.tf*'
timeout 20 tfr cat < f.tfrecord >> f.tfrecord 2> err; echo "$? $(cat err)"
timeout 20 tfr cat - < f.tfrecord 1<> f.tfrecord 2> err; echo "$? $(cat err)"
cd d; timeout 20 tfr cat s@2.tfrecord >> s-00001-of-00002.tfrecord 2> ../err; echo "$? $(cat ../err)"
timeout 20 tfr cat . >> s-00001-of-00002.tfrecord 2> ../err; echo "$? $(cat ../err)"
timeout 20 tfr shard s@2.tfrecord -o - >> s-00001-of-00002.tfrecord 2> ../err; echo "$? $(cat ../err)"; cd ..
# Another file is none of these, and neither is an output that takes its name when it is complete.
tfr cat -q f.tfrecord > other.tfrecord && cmp f.tfrecord other.tfrecord && cmp f.tfrecord "$DATA/members.tfrecord"
tfr cat -q f.tfrecord >> other.tfrecord && tfr count other.tfrecord
tfr cat -q -f f.tfrecord f.tfrecord -o f.tfrecord && tfr count f.tfrecord hard.tfrecord
tfr cat -q < other.tfrecord > /dev/null; tfr doctor d > d/report.txt; echo "$?"
