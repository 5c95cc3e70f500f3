# What fish completes: options and their words.
command -v fish > /dev/null || { echo "no fish here"; exit 77; }
at() { echo "$1<TAB>"; fish --no-config -c 'tfr completion fish | source; complete -C $argv[1]' -- "$1" | sed 's/\t.*//; s/^/    /'; }
at 'tfr compl'
at 'tfr cat --compression g'
at 'tfr shuffle --comp'
