# A training of 80 ms a step behind a link that needs 160 ms a batch: the next batch travels while the device computes.
# Told by what overlaps in the trace, not by how long anything took.
tfr bench-feed --device sim:19200,0 --batch 4 --size 8 --epochs 9 --steps 12 --compute-ms 80 --json --trace trace.json -q "$DATA/pictures.tfrecord" > out
python3 - <<'P'
import json
report, trace = json.load(open('out')), json.load(open('trace.json'))
names = {e['tid']: e['args']['name'] for e in trace['traceEvents'] if e['name'] == 'thread_name'}
pieces = [e for e in trace['traceEvents'] if e['ph'] == 'X']
steps = [e for e in pieces if names[e['tid']] == 'device 0']
uploads = [e for e in pieces if e['name'] == 'upload']
overlapped = sum(any(u['ts'] < s['ts'] + s['dur'] and s['ts'] < u['ts'] + u['dur'] for u in uploads) for s in steps)
print(len(steps), 'steps; most with an upload beside them:', overlapped > len(steps) * 0.8)
c = report['compute']
print(c['mean_seconds'], c['deviation_seconds'], c['steps'], 'idle:', c['idle_steps'] > 8, c['first_idle_step'] < 5)
d, = report['devices']
# A step of 160 ms of which 80 are computed: idle for about half of it, not for two thirds.
print('computing:', d['compute_seconds'] > 12 * 0.0799, 'idle:', 0.2 < d['idle_seconds'] / (d['idle_seconds'] + d['compute_seconds']) < 0.62)
P
# A feed that is faster than its training leaves the device busy.
tfr bench-feed --device host --batch 4 --size 8 --steps 8 --epochs 9 --compute-ms 400:10 --json -q "$DATA/pictures.tfrecord" |
  python3 -c 'import json, sys; c = json.load(sys.stdin)["compute"]; print(c["steps"], "steps, most not idle:", c["idle_steps"] < 5)'
tfr bench-feed --device host --batch 4 --size 8 --steps 5 --compute-ms 1 -q "$DATA/pictures.tfrecord" | grep -c '^idle  '
