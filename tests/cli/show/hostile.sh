# 100,000 features, 10 million values, names that are no text, forged lengths, claims of 2 GiB and more.
[ -n "${SANITIZED-}" ] || ulimit -v 1500000
python3 "$TOOLS/hostile.py"
for f in features values texts names long; do
  printf '%s: %s text,' $f "$(tfr show -q $f | wc -l)"
  tfr show -q --json $f > json || echo "status $?"
  python3 -c 'import json, sys
r = json.load(open("json"))
print(" JSON of %d features, %d values," % (len(r), sum(map(len, r.values()))), end=" ")'
  tfr show -q --html $f.html -f $f || echo "status $?"
  [ $(stat -c %s $f.html) -lt 500000 ] && ! grep -q '<script\|<img\|onerror=[^a]' $f.html && echo 'a small page'
done
tfr show -q names
grep -o 'n*…</th>' long.html | wc -m
for f in forged? claim?; do
  tfr show -q $f; echo "$f: status $?"
  tfr show -q --as example $f 2>&1; echo "status $?"
  tfr show -q --json $f > /dev/null 2>&1; echo "JSON: status $?"
  tfr show -q --as example --html $f.html $f > /dev/null 2>&1; echo "page: status $?"; [ -e $f.html ] && echo 'half a page'
done 2>&1
