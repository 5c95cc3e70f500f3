# Exact counts of each class, by rational arithmetic; equal classes as numbers and as texts; order and sums kept.
python3 "$TOOLS/labelled.py" in 0 4000 100000 37
for split in 'a=0.8 b=0.1 c=0.1' 'a=0.1 b=0.2 c=0.7' 'a=0.5 b=0.25' 'a=0.15 b c=0.35' 'a=0.333 b=0.333 c=0.334' 'a=1' 'a'; do
  for by in label text; do
    rm -f a b c
    tfr split -q in --stratify $by --key key -m 1 $(printf -- '-o %s ' $split); echo "$split $by: status $?"
    python3 - "$split" <<'P'
import collections, labelled, os, sys
from fractions import Fraction
shares = [s.partition('=')[::2] for s in sys.argv[1].split()]
total = collections.Counter(i * i % 37 for i in range(4000))
got = {s: list(labelled.ids(s)) for s, _ in shares}
want = {s: collections.Counter() for s, _ in shares}
for c, n in total.items():
    end = Fraction(0)
    before = 0
    for s, f in shares:
        if f:
            end += Fraction(f)
            want[s][c] = round(end * n) - before     # halves to even
            before += want[s][c]
    for s, f in shares:
        if not f:
            want[s][c] = n - before
for s, _ in shares:
    assert got[s] == sorted(got[s])
    assert +collections.Counter(i * i % 37 for i in got[s]) == +want[s], s
every = sum(got.values(), [])
assert len(every) == len(set(every))
P
  done
done
# Where equal keys must stay together, the counts are as near as can be, and it is said by how much.
python3 "$TOOLS/labelled.py" few 0 1000 7 1
tfr split few --stratify label --key key -o d=0.5 -o e 2>&1 | grep warning
python3 -c '
import labelled
d, e = set(i % 7 for i in labelled.ids("d")), set(i % 7 for i in labelled.ids("e"))
assert not d & e and d | e == set(range(7)) and abs(len(d) - 3.5) < 1'
# Equal keys in two classes may be separated: each class is divided on its own, by the same hashes.
tfr split few --where 'id < 7' --stratify label -o f=0.5 -o g 2>&1 | tail -n 1
