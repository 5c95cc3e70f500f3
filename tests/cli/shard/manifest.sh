# What the manifest says is so.
mkdir in && ln -s "$DATA/images/jpeg" "$DATA/images/png" in
tfr shard in -q -o t@3.tfrecord --shuffle --seed 9
python3 - <<'P'
import json, os, subprocess
m = json.load(open('t.3-tfrecord.manifest.json'))
total = subprocess.run(['tfr', 'count', '--sum', 't@3.tfrecord'], capture_output=True, text=True).stdout.split()
print('keys:', ' '.join(sorted(m)))
shards = m['shards']
print(len(shards), 'shards:', ' '.join(sorted(shards[0])))
print(all(os.path.getsize(s['name']) == s['bytes'] for s in shards), sum(s['records'] for s in shards) == int(total[0]))
sums = sum(int(s['sum'], 16) for s in shards) % 2**64
print('%016x' % sums == total[1])
P
