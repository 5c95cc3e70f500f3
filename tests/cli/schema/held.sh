# What schema writes, check --schema takes: the set holds to it, others do not.
exec 2>&1
python3 - <<'P'
from records import bytes_list, entry, example, field, float_list, frame, int64_list
def write(name, *examples):
    open(name, 'wb').write(b''.join(map(frame, examples)))
good = {'label': int64_list([3]), 'box': float_list([.5] * 4), 'text': bytes_list([b'a', b'b']), 'a b\\': int64_list([]), 'unset': b''}
write('good', example(good), example({**good, 'text': bytes_list([b'a'])}), example({k: good[k] for k in ('label', 'box', 'text', 'a b\\')}))
write('bad', example({'box': good['box']}), example({**good, 'label': float_list([3])}), example({**good, 'text': bytes_list([])}), example({**good, 'new': int64_list([1])}))
write('two', example({'x': int64_list([1])}), example({'x': float_list([1])}))
write('latin', field(1, entry(b'caf\xe9', int64_list([1]))))
P
check() { tfr check -q --schema "$@"; echo "status $?"; }
for set in good latin; do tfr schema --json $set > s; check s $set; done
tfr schema -q --json good > s; check s bad
sed 's/"version": 1,/"version": 1, "only": true,/' s > only; check only bad
tfr schema -q --json two > s2; check s2 two
echo "wrong:"
for text in '{' '{}' '{"features": 1}' '{"features": [1]}' '{"features": [{"name": "a", "kind": "int32", "presence": "required"}]}' \
  '{"features": [{"name": "a", "kind": "int64"}]}' '{"features": [{"name": "a\\q", "kind": "int64", "presence": "required"}]}' \
  '{"features": [{"name": "a", "kind": "int64", "presence": "required", "length": {"min": 2, "max": 1}}]}' \
  '{"features": [{"name": "a", "kind": "int64", "presence": "required", "length": 1}]}' '{"features": []} x' \
  '{"features": [{"name": "a", "kind": "int64", "presence": "optional"}, {"name": "a", "kind": "float", "presence": "optional"}]}'; do
  printf '%s' "$text" > w; tfr check --schema w good; echo "status $?"; done
printf '\n\t {"features": []}\n' > w; check w good
printf '{"features": [{"name": "label", "kind": "int64", "presence": "optional"}]}\0' > w; check w good
tfr schema -q --emit pbtxt good > w; check w good
