# --schema: kind, number of values and presence of each feature of each record.
exec 2>&1
python3 - <<'P'
from records import bytes_list, entry, example, field, float_list, frame, int64_list
def write(name, *examples):
    open(name, 'wb').write(b''.join(map(frame, examples)))
good = {'label': int64_list([3]), 'box': float_list([.5] * 4), 'text': bytes_list([b'a', b'b'])}
write('good', example(good), example({**good, 'more': int64_list([1])}), example({k: good[k] for k in ('label', 'box')}))
write('bad', example({'box': good['box']}), example({**good, 'label': float_list([3])}), example({**good, 'label': int64_list([1, 2])}),
      example({**good, 'label': b''}), example({**good, 'text': int64_list([])}), example({**good, 'text': bytes_list([b'x'] * 4)}),
      example({**good, 'box': float_list([.5] * 3)}), example({**good, 'label': int64_list([])}), b'')
write('odd', field(1, entry(b'a b', int64_list([1])) + entry(b'caf\xe9', int64_list([1])) + entry(b'\\', int64_list([1])) + entry(b'', int64_list([1]))))
write('sequence', field(1, entry(b'label', int64_list([1]))) + field(2, entry(b'frames', field(1, int64_list([1])))))
write('raw', b'just bytes')
P
cat > s <<'S'
# a comment, and blanks of all kinds
   required int64	1   label

required float 2x2 box
	optional bytes 0..3 text
S
check() { tfr check -q --schema "$@"; echo "status $?"; }
check s good; check s bad; check s raw; tfr check -q --schema s --strict --example bad | wc -l
for j in 1 5; do tfr check -q -j $j --schema s bad good bad | sort | uniq -c | sort -rn | head -n 1; done
echo "only:"; { cat s; echo only; } > o; check o good
echo "names:"; printf 'only\nrequired int64 1 a b\nrequired int64 1 caf\\xe9\nrequired int64 1 \\\\\nrequired int64 1.. \\x6eo\n' > n; check n odd
printf 'required int64 1 label\r\n# no line break at the end\r\noptional float * frames' > c; check c sequence; : > empty; check empty bad
echo "counts:"
for n in 0 1 2 3 0.. 1.. 2.. 0..0 0..1 1..2 '*' 1x1 1x2 2x1x1 0x5; do
  echo "required int64 $n label" > k; printf '%s: ' "$n"; tfr check -q --schema k sequence > out && echo good || sed 's/.*label: //' out
done
echo "wrong schemas:"
for line in 'need int64 1 a' 'required int32 1 a' 'required int64 one a' 'required int64 -1 a' 'required int64 2..1 a' 'required int64 3x a' 'required int64 1' \
  'required int64 1 ' 'required' 'only a' 'required int64 9999999999999999999 a' 'required int64 999999999x999999999x999999999 a' 'required int64 1 a\q' \
  'required int64 1 a\x4' 'required int64 ..3 a' 'required int64 1...3 a'; do
  printf '# one\n%s\n' "$line" > w; tfr check --schema w good 2>&1; done
printf 'required int64 1 a\noptional float 1 a\n' > w; tfr check --schema w good; echo "status $?"
tfr check --schema nosuch good; echo "status $?"; tfr check --schema . good 2> /dev/null; echo "status $?"; tfr check --schema s --quick good; echo "status $?"
head -c 100000 /dev/zero | tr '\0' 'x' > w; tfr check --schema w good; echo "status $?"; head -c 3000 /dev/zero > w; tfr check --schema w good; echo "status $?"
tfr check -q --schema s --json bad | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["faults"]))'
