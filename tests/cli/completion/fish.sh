# What fish completes; it quotes by itself, and finds a name by any part of it.
command -v fish > /dev/null || { echo "no fish here"; exit 77; }
printf '{"image/class/label":1,"image/class/text":"a","score":0.5,"my key":1,"it'"'"'s":1}\n' > l.jsonl
tfr shard -q l.jsonl -o train.tfrecord && tfr shard -q l.jsonl -o s@3.tfrecord || exit
at() { echo "$1<TAB>"; fish --no-config -c 'tfr completion fish | source; complete -C $argv[1]' -- "$1" | sed 's/\t.*//; s/^/    /'; }
at 'tfr stats train.tfrecord --order sc'
at 'tfr stats train.tfrecord --order=sc'
at "tfr stats train.tfrecord --where 'label"
at "tfr stats train.tfrecord --where 'score > 1 && sc"
at 'tfr cat train.tfrecord --keep score,im'
at 'true | tfr count train.tfrecord --by my'
at 'tfr dedup train.tfrecord --key con'
at 'tfr stats tra'
at 'tfr stats s@'
at 'tfr cat --compression g'
at 'tfr shuffle --comp'
at 'tfr stats absent --order '
