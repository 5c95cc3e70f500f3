# A cached second epoch: files are read once, and the first epoch stands beside the later ones.
feed() { tfr bench-feed -q --device host --epochs 4 --json --stages "$1" "$DATA/images.tfrecord" > out 2> err; echo "$1: status $?"; cat err
  python3 -c '
import json
j = json.load(open("out"))
print(j["records"], [(s["name"], s["items"]) for s in j["stages"] if s["name"] in ("read", "cache", "decode")], j["first_epoch_records_per_second"] > 0, j["later_epochs_records_per_second"] > 0)'; }
feed 'read,parse,decode,resize=16,normalise,batch=5,upload'
feed 'read,parse,cache,decode,resize=16,normalise,batch=5,upload'
feed 'read,parse,decode,resize=16,cache,normalise,batch=5,upload'
feed 'read,parse,decode,resize=16,cache,shuffle=10,normalise,batch=5,upload'
tfr bench-feed -q --device host --epochs 4 --stages 'read,parse,cache,decode,resize=16,batch=5,upload' "$DATA/images.tfrecord" | grep -c '^epochs  *the first at .* records/s, later ones at .* records/s'
