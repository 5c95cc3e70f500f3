# What is in files is completed: features of the inputs on the line, wherever an option takes them; names of sets.
# bash gets it quoted for where the cursor is, and for what it will replace (COMP_WORDBREAKS).
printf '{"image/class/label":1,"image/class/text":"a","score":0.5,"my key":1,"a:b":2,"it'"'"'s":1,"c,d":3}\n' > l.jsonl
tfr shard -q l.jsonl -o train.tfrecord && tfr shard -q l.jsonl -o s@3.tfrecord && mkdir sub && tfr shard -q l.jsonl -o sub/t@12.tfrecord.gz || exit
source <(tfr completion bash)
at() {   # at BEFORE [AFTER]: what bash's function offers there
  COMP_LINE=$1${2-} COMP_POINT=${#1} COMPREPLY=()
  read -ra COMP_WORDS <<< "$1"
  [ "${1: -1}" != ' ' ] || COMP_WORDS+=('')
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_WORDBREAKS=$' \t\n"\'@><=;|&(:'
  _tfr tfr "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
  printf '%s<TAB>%s\n' "$1" "${2-}"
  [ ${#COMPREPLY[@]} = 0 ] || printf '    %s\n' "${COMPREPLY[@]}" | sort
}
at 'tfr stats train.tfrecord --order '
at 'tfr stats --order ' ' train.tfrecord'
at 'tfr stats --order=sc' ' train.tfrecord'
at 'tfr stats --order a:' ' train.tfrecord'
at "tfr stats --order 'my" ' train.tfrecord'
at "tfr stats --order 'it" " s@3.tfrecord"
at 'tfr stats --order "my' '" s@3.tfrecord'
at 'tfr stats -j2 -- train.tfrecord --order '
at 'tfr count --by la' ' train.tfrecord'
at 'tfr dedup train.tfrecord --key c'
at 'tfr split sub --key s'
at 'tfr split sub/t@12.tfrecord.gz --stratify sc'
at 'tfr resample "train.tfrecord" --by sc'
at 'tfr resample tra*.tfrecord --weights sc'
at 'tfr resample train.tfrecord --class x'
at 'tfr resample train.tfrecord --class x=sc'
at 'tfr bench-feed --feature sc' ' train.tfrecord'
at 'tfr export train.tfrecord --columns score,im'
at 'tfr cat train.tfrecord --keep '
at "tfr cat train.tfrecord --where 'la"
at "tfr cat train.tfrecord --where 'score > 1 && sc"
at "tfr cat train.tfrecord --where 'exists(my"
at "tfr cat train.tfrecord --where 'exists(\"my"
at "tfr cat train.tfrecord --where 'len(score) == "
at "tfr cat train.tfrecord --where 'score "
at 'tfr cat train.tfrecord --where "!my'
at 'tfr stats s@'
at 'tfr stats s@3'
at 'tfr stats sub/t@1'
at 'tfr stats t'
at 'tfr cat --compression g'
at 'tfr shuffle --comp'
at 'tfr validate train.tfrecord --form'
echo '-- nothing to read, and nothing to wait for'
mkfifo pipe; printf pipe > list.txt; head -c 30 train.tfrecord > cut; printf 'no records' > text; mkdir with; mkfifo with/x.tfrecord
ln -s train.tfrecord link; chmod 0 text
for input in pipe @pipe @list.txt - cut text absent with '$x' '"' ; do at 'tfr stats --order ' " $input"; done
at 'tfr stats --order sc' ' absent pipe link'
at 'tfr help sp'
at 'tfr stats --output '
echo '-- lines that are none'
tfr completion names -- 'tfr stats --order' ''; echo "status $?"
tfr completion names -- 'tfr' ''; echo "status $?"
tfr completion names -- '' '' ''; echo "status $?"
tfr completion names -- 'tfr nonsense --by ' ''; echo "status $?"
tfr completion names -- 'tfr count ~/work/train.tfrecord --by sc' ''; echo "status $?"
