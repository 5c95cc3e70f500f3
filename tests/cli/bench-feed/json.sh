# The fields that scripts read, and that they agree with each other.
tfr bench-feed -q --json --device host --epochs 3 --batch 4 "$DATA/images.tfrecord" > out; echo "status $?"
python3 - <<'P'
import json
j = json.load(open('out'))
wanted = ('version records_per_second records_per_second_total cpu_wait_fraction bytes_per_second device device_bytes_per_second first_batch_seconds batch_wait_seconds '
          'idle_fraction stages bottleneck advice peak_rss_bytes records skipped seconds command').split()
print('missing:', [k for k in wanted if k not in j])
print(j['version'], j['device'], j['records'], j['skipped'], sorted(j['batch_wait_seconds']))
# The rate is that of the batches after the first one, of 4 records, or of a run that is too short for that, of all.
after = j['seconds'] - j['first_batch_seconds']
print('rate:', j['records_per_second'] == j['records_per_second_total'] or j['records_per_second'] * after >= 0.999 * (j['records'] - 4))
print('total:', abs(j['records_per_second_total'] * j['seconds'] - j['records']) < 0.01)
print('load:', 0 <= j.get('stolen_load_fraction', 0) <= j.get('other_load_fraction', 0) <= 1, 0 <= j['cpu_wait_fraction'] <= 1)
names = [s['name'] for s in j['stages']]
print(names, 'bottleneck is a stage:', j['bottleneck'] in [*names, 'memory', 'other programs', 'unknown'], 'advice:', bool(j['advice']))
print('each stage:', all({'name', 'busy', 'starved', 'blocked', 'items', 'bytes'} <= set(s) for s in j['stages']))
print('waits ordered:', sorted(j['batch_wait_seconds'].values()) == [j['batch_wait_seconds'][k] for k in ('p50', 'p95', 'p99', 'max')])
print('idle:', 0 <= j['idle_fraction'] <= 1)
P
