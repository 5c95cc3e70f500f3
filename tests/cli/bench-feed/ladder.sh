# The list cut off after each stage in turn.
tfr bench-feed --device host --batch 4 --size 16 --epochs 2 --ladder -q "$DATA/images.tfrecord" > out; echo "status $?"
awk 'length > 80' out; sed 's/  .*//' out | sed 's/^costs most: .*/costs most/'
tfr bench-feed --device host --stages 'read,parse,decode,resize=20,random-crop=16*5,mirror,normalise,batch=8,upload' --epochs 2 --ladder --json -q "$DATA/images.tfrecord" > out; echo "status $?"
python3 - <<'P'
import json
j = json.load(open('out'))
for r in j['ladder']:
    print(r['stage'], r['records'], r['each'], r['records_per_second'] > 0)
print(j['most_expensive'] in [r['stage'] for r in j['ladder']])
P
for o in '--compute-ms 3' '--html x' '--trace x' '--verify-transfers' '--compare x'; do
  tfr bench-feed --ladder $o "$DATA/images.tfrecord" > out 2> err; echo "status $?: $(head -n 1 err)"
done
tfr bench-feed --ladder - < "$DATA/images.tfrecord" 2>&1; echo "status $?"
ls -A
