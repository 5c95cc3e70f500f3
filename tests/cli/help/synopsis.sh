# Each command has its page; the page's SYNOPSIS is the first line of -h, and its OPTIONS are those that -h lists.
flags() { grep -oE -- '(^|[[:space:],[|*_])-(-[a-z][a-z-]*|[a-zA-Z0-9])\b' | grep -oE -- '--?[a-zA-Z0-9-]+' | sort -u; }
section() { awk -v wanted="# $1" '/^# / { on = $0 == wanted; next } on' "$2"; }
for c in $(tfr -h | sed -n '/^  [a-z]/s/^  \([a-z-]*\) .*/\1/p'); do
  page=$TOP/man/tfr-$c.1.scd
  [ -f "$page" ] || { echo "$c: no page"; continue; }
  tfr $c -h > h
  diff <(head -n 1 h | sed 's/^usage: //') <(section SYNOPSIS "$page" | tr -d '*_\\' | grep .) | sed "s/^/$c: /"
  diff <(grep -E '^ {2,6}-' h | sed 's/^ *//; s/  .*//' | flags) <(section OPTIONS "$page" | grep '^\*-' | flags) |
    sed -n "s/^</$c: -h only:/p; s/^>/$c: page only:/p"
done
