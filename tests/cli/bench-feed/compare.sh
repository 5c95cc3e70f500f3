# This run beside an earlier one: the change of each figure, and status 1 past the tolerance.
feed() { tfr bench-feed -q --device host --batch 4 --size 16 --epochs 20 "$@" "$DATA/images.tfrecord" > out 2> err; echo "status $?"; }
feed --json; cp out old.json
made() { python3 - "$@" <<'P'
import json, sys
r = json.load(open('old.json'))
for change in sys.argv[2:]:
    name, factor = change.split('=')
    r[name] = r[name] * float(factor)
json.dump(r, open(sys.argv[1], 'w'))
P
}
made slow.json records_per_second=0.001 device_bytes_per_second=0.001 peak_rss_bytes=1000
made fast.json records_per_second=1000 device_bytes_per_second=0.001 peak_rss_bytes=1000
feed --compare slow.json; sed -n '/^compared/,$p' out | sed 's/  *.*  worse$/ worse/; s/\(\w\)   *.*$/\1/'; cat err
feed --compare fast.json; grep worse out | sed 's/ .* / /'; sed 's/by .*, more/by N%, more/' err
feed --compare fast.json --tolerance 99.999; cat err
feed --compare slow.json --json; python3 -c '
import json
c = json.load(open("out"))["comparison"]
print(c["with"], c["tolerance"], [f["name"] for f in c["figures"] if f["judged"]], any(f["worse"] for f in c["figures"]))'
feed --compare old.json --augment resize,normalise; cat err
tfr bench-feed --device sim:10G,0 --batch 4 --size 16 --epochs 2 --compare slow.json "$DATA/images.tfrecord" 2>&1 > out; echo "status $?"
echo '{}' > none.json; feed --compare none.json; cat err
echo 'no' > none.json; feed --compare none.json; cat err
head -c 500 old.json > none.json; feed --compare none.json; cat err
feed --compare nowhere.json; cat err
feed --tolerance 3; cat err
