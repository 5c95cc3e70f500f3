# --shuffle: the same records as without it, in an order that depends on the seed and on nothing else; copies too.
python3 "$TOOLS/classes.py" make in 7 0=30000 1=2000 2=200
for options in '--by label --target uniform' '--by label --target uniform --method oversample --size 70000' \
    '--by text --target uniform --method reject' '--weights label --size 97'; do
  tfr resample -q in@7 $options -o ordered -f --seed 5
  for j in 1 2 8; do
    for m in 8M 1G; do
      tfr resample -q -j $j -m $m in@7 $options --shuffle -o $j$m -f --seed 5 || echo "status $?"
      cmp 18M $j$m
    done
  done
  [ "$(tfr count --sum ordered)" = "$(tfr count --sum 18M)" ] || echo "other records: $options"
  cmp -s ordered 18M && echo "not shuffled: $options"
  tfr resample -q in@7 $options --shuffle -o set@3 -f --seed 5
  tfr cat -q set@3 | cmp - 18M
done
# Copies lie apart: hardly a record of the rarest class beside itself.
tfr resample -q in@7 --by label --target uniform --method oversample --shuffle -o over
python3 "$TOOLS/classes.py" ids over | uniq -d | wc -l | awk '{ print $1 < 400 ? "apart" : "together" }'
python3 -c 'import json; print(json.load(open("set.3.manifest.json"))["records"])'
tfr resample --by label --target 7=1 --shuffle in@7 -o absent 2>&1; echo "status $?"
mkdir t
tfr resample -q in@7 --by label --target uniform --method oversample --total 900000 --shuffle -m 8M --tmpdir t -o spilled --json |
  python3 -c 'import json, sys; print(json.load(sys.stdin)["written"])'
tfr count spilled
ls -A t
