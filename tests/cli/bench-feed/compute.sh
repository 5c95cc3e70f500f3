# A training of 20 ms a step behind a link that needs 40 ms a batch: the next batch travels while the device computes, and
# with --no-overlap it does not.  Told by what overlaps in the trace, not by how long anything took.
feed() { tfr bench-feed --device sim:76800,0 --batch 4 --size 8 --epochs 9 --compute-ms 20 --json -q -f "$@" "$DATA/images.tfrecord" > out; }
overlapped() { python3 - <<'P'
import json
trace = json.load(open('trace.json'))
names = {e['tid']: e['args']['name'] for e in trace['traceEvents'] if e['name'] == 'thread_name'}
pieces = [e for e in trace['traceEvents'] if e['ph'] == 'X']
steps = [e for e in pieces if names[e['tid']] == 'device 0']
uploads = [e for e in pieces if e['name'] == 'upload']
beside = sum(any(u['ts'] < s['ts'] + s['dur'] and s['ts'] < u['ts'] + u['dur'] for u in uploads) for s in steps)
print(len(steps), 'steps, with an upload beside them:', 'many' if beside > len(steps) / 4 else beside)
P
}
feed --steps 30 --trace trace.json; overlapped
python3 - <<'P'
import json
report = json.load(open('out'))
c, (d,) = report['compute'], report['devices']
print(c['mean_seconds'], c['deviation_seconds'], c['steps'], 'idle:', c['idle_steps'] > 15, c['first_idle_step'] < 15)
# A step of 40 ms of which 20 are computed: idle for about half of it; a busy machine adds to that, and takes nothing away.
print('computing:', d['compute_seconds'] > 30 * 0.0199, 'idle:', 0.2 < d['idle_seconds'] / (d['idle_seconds'] + d['compute_seconds']))
P
feed --steps 10 --no-overlap --trace trace.json; overlapped
# A feed that is faster than its training leaves the device busy.
tfr bench-feed --device host --batch 4 --size 8 --steps 12 --epochs 9 --compute-ms 150:10 --json -q "$DATA/images.tfrecord" |
  python3 -c 'import json, sys; j = json.load(sys.stdin); d, = j["devices"]; print(j["compute"]["steps"], "steps, mostly computing:", d["idle_seconds"] < d["compute_seconds"])'
tfr bench-feed --device host --batch 4 --size 8 --steps 5 --compute-ms 1 -q "$DATA/images.tfrecord" | grep -c '^idle  '
