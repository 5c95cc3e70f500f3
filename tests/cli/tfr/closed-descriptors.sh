# Standard descriptors that are closed when the program starts.  No file that is opened takes the place of one, so that no
# message goes into an output; and an answer that cannot be written is status 3, on a full disk as well.
cp "$DATA/members.tfrecord" in.tfrecord
mkdir set && tfr cat -q in.tfrecord -o set/s@2.tfrecord
printf '{"x":1}\n{"x":2}\n' > rows.jsonl && tfr shard -q rows.jsonl -o ex.tfrecord
head -c 100 in.tfrecord > torn.tfrecord
answers=('version' '--version' '-h' '--help' 'help' 'help cat' 'cat -h' 'completion bash' 'completion zsh' 'completion fish'
  'count in.tfrecord' 'count --json in.tfrecord' 'count --per-file set' 'count --by x ex.tfrecord' 'show ex.tfrecord'
  'show --json ex.tfrecord' 'check --json in.tfrecord' 'check --format junit in.tfrecord' 'check torn.tfrecord'
  'schema ex.tfrecord' 'schema --json ex.tfrecord' 'schema --emit python ex.tfrecord' 'stats ex.tfrecord'
  'stats --json ex.tfrecord' 'diff in.tfrecord set' 'diff --json in.tfrecord set' 'doctor torn.tfrecord' 'doctor --json set'
  'index --check in.tfrecord' 'index --check --json in.tfrecord' 'repair --dry-run torn.tfrecord'
  'repair --dry-run --json torn.tfrecord' 'shuffle-to-disk --dry-run in.tfrecord -o o' 'cat in.tfrecord -o -'
  'cat --raw in.tfrecord' 'shuffle-to-disk in.tfrecord -o -' 'repair torn.tfrecord -o -' 'dedup in.tfrecord -o -'
  'resample --target uniform --by x ex.tfrecord -o -' 'export --to jsonl in.tfrecord -o -' 'export --to csv ex.tfrecord -o -'
  'shard --dry-run -o o rows.jsonl' 'shard -o - rows.jsonl' 'bench-feed --stages read,parse,batch=2,upload --steps 1 ex.tfrecord'
  'bench-feed --stages read,parse,batch=2,upload --steps 1 --json ex.tfrecord')
ours() { grep -c 'cannot write to standard output: ' err; }
for a in "${answers[@]}"; do
  tfr $a >&- 2> err; closed="$? $(ours)"
  tfr $a > /dev/full 2> err; full="$? $(ours)"
  [ "$closed, $full" = '3 1, 3 1' ] || { echo "tfr $a: closed $closed, full $full"; cat err; }
done
# What has no end ends where nothing can be written.
while cat in.tfrecord; do :; done 2> err | timeout 60 tfr show - > /dev/full 2> err; echo "$? $(cat err)"
# The report goes to standard error where the records go to standard output.
for a in 'dedup in.tfrecord -o -' 'shuffle-to-disk in.tfrecord -o -' 'resample --by x --target uniform ex.tfrecord -o -' \
  'repair torn.tfrecord -o -' 'split in.tfrecord -o -=0.5 -o OUT' 'shard rows.jsonl -o -'; do
  tfr $a --json > out 2> /dev/full; full=$?; rm -f OUT
  tfr $a --json > out 2>&-; echo "$full $? tfr $a --json"; rm -f OUT
done
# Standard error is closed, or full: the result is the same, and the status too.
writes=('cat in.tfrecord -o OUT' 'cat --on-error quarantine=OUT.q torn.tfrecord -o OUT' 'repair torn.tfrecord -o OUT'
  'shuffle-to-disk in.tfrecord -o OUT' 'dedup in.tfrecord --report OUT.r -o OUT' 'shard rows.jsonl -o OUT'
  'export --to jsonl in.tfrecord -o OUT' 'cat missing -o OUT' 'cat torn.tfrecord -o OUT' 'index in.tfrecord -f'
  'split in.tfrecord -o OUT=0.5 -o OUT.b' 'show --html OUT in.tfrecord' 'stats --html OUT in.tfrecord' 'cat -n 2 in.tfrecord'
  'schema ex.tfrecord' 'check torn.tfrecord' 'doctor torn.tfrecord')
for a in "${writes[@]}"; do
  for way in '2> err' '2>&-' '2> /dev/full' '>&- 2>&-'; do
    rm -rf OUT*
    [ "${a#*OUT}" != "$a" ] || [ "${way#>}" = "$way" ] || continue
    eval "tfr $a $way > out"; echo "$?" > status
    find . -name 'OUT*' -o -name out -o -name status -o -name '*.idx' -o -name '.*.*' | LC_ALL=C sort | xargs cat > got
    [ "$way" = '2> err' ] && mv got want || cmp got want || echo "tfr $a $way: not the same"
  done
done
# Standard input is closed: an error where it is read, nothing elsewhere.
for a in 'cat -' 'count' 'check -' 'show -' 'repair - -o OUT' 'shuffle-to-disk - -o OUT'; do
  rm -rf OUT*; tfr $a <&- > out 2> err; echo "$?: $(head -n 1 err)"
done
for a in 'count in.tfrecord' 'cat -q in.tfrecord -o OUT' 'version'; do tfr $a <&- > out 2> err || echo "tfr $a: $?"; done
# All at once.
tfr count in.tfrecord <&- >&- 2>&-; echo "$?"; rm -f OUT
tfr cat in.tfrecord -o OUT <&- >&- 2>&-; echo "$?"; tfr check -q OUT && cmp OUT in.tfrecord && echo same
