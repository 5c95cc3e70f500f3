# The scripts are well formed and complete commands and options.
tfr completion bash > c.bash && bash -n c.bash && echo bash
for shell in zsh fish; do tfr completion $shell > c && [ -s c ] && echo $shell; done
tfr completion csh; echo "status $?"
offer() {   # offer WORD...: what bash would offer for the last word
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE} COMPREPLY=()
  local function=$(complete -p tfr | sed 's/.*-F \([^ ]*\).*/\1/')
  $function tfr "${@: -1}" "${@: -2:1}"
  printf '%s\n' "${COMPREPLY[@]}" | sed 's/ *$//' | paste -sd ' '
}
source ./c.bash
offer tfr cou
offer tfr count --per
offer tfr cat --compression g
offer tfr cat --compression = g
offer tfr help sp
: > train.tfrecord; : > test.tfrecord; : > 'a file'
offer tfr stats --where t
offer tfr cat a
