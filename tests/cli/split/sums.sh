# What the sets received and what is left over is the input, by content sums; --json proves it; --where counts as well.
python3 "$TOOLS/labelled.py" in 0 3000
sum() { tfr count --sum "$@" | cut -f 2; }
for by in '' '--stratify label' "--where id<1000" "--stratify text --where id<1000"; do
  tfr split -q -f $by in --json -o a@2=0.5 -o b=0.2 > got.json
  tfr split -q -f $by in -o c=0.5 -o d=0.2 -o rest 
  python3 - $(sum a@2) $(sum b) $(sum rest) $(tfr count rest) <<'P'
import json, sys
r = json.load(open('got.json'))
a, b, rest = (int(s, 16) for s in sys.argv[1:4])
M = 1 << 64
assert r['version'] == 3 and [int(s['sum'], 16) for s in r['sets']] == [a, b]
assert int(r['sum'], 16) == (a + b) % M and int(r['selected_sum'], 16) == (a + b + rest) % M
assert r['unassigned'] == int(sys.argv[4]) and r['written'] + r['unassigned'] == r['selected']
assert r['bytes'] == sum(s['bytes'] for s in r['sets'])
assert [s['actual'] for s in r['sets']] == [s['records'] / r['selected'] for s in r['sets']]
if 'classes' in r:
    assert sum(c['records'] for c in r['classes']) == r['selected']
    assert all(c['received'] == c['wanted'] for c in r['classes']) and r['off_target'] == 0
print(r['records'], r['selected'])
P
done
[ "$(sum in)" = "$(tfr split in -q --json -o e=0.5 -o f | grep -o '"sum": "[^"]*' | head -n 1 | cut -d '"' -f 4)" ] && echo nothing lost
