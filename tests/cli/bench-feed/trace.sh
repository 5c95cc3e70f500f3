# A trace that a viewer reads: rows with names, pieces within the run, each record decoded once, queues.
tfr bench-feed --device sim:1G,0,2 -j 2 --shuffle-buffer 8 --batch 4 --epochs 2 --seed 3 --trace t.json --json -q "$DATA/images.tfrecord" > out; echo "status $?"
python3 - <<'P'
import collections, json
trace, report = json.load(open('t.json')), json.load(open('out'))
events = trace['traceEvents']
names = {e['tid']: e['args']['name'] for e in events if e['name'] == 'thread_name'}
print(sorted(set(names.values())))
pieces = [e for e in events if e['ph'] == 'X']
print('rows named:', all(e['tid'] in names for e in pieces), 'not negative:', all(e['ts'] >= 0 and e['dur'] >= 0 for e in pieces))
decoded = collections.Counter(e['args']['number'] for e in pieces if e['name'] == 'decode')
print('decoded:', sum(decoded.values()), 'each twice:', set(decoded.values()) == {2})
uploads = [e['args']['number'] for e in pieces if e['name'] == 'upload']
print('uploads:', sorted(uploads) == list(range(report['batches'])), 'by both:', len({e['tid'] for e in pieces if e['name'] == 'upload'}))
print('whole:', trace['otherData']['pieces'] == str(len(pieces)), trace['otherData']['dropped'], report['trace_dropped'])
# Whatever the workers are busy with is in the trace: by the clock, which is no less than processor time.
traced = collections.Counter()
for e in pieces:
    traced[e['name']] += e['dur'] * 1e-6
short = [s['name'] for s in report['stages'] if s['name'] not in ('read', 'upload', 'consumer') and traced[s['name']] < 0.99 * s['busy'] - 1e-4]
print('all work of the workers:', not short, *short)
# On a thread, one piece follows the other.
rows = collections.defaultdict(list)
for e in pieces:
    if names[e['tid']].startswith(('worker', 'reader', 'consumer')):
        rows[e['tid']].append((e['ts'], e['ts'] + e['dur']))
print('in turn:', all(a[1] <= b[0] + 0.002 for r in rows.values() for a, b in zip(sorted(r), sorted(r)[1:])))
P
tfr bench-feed --device host -q --steps 1 --trace t.json "$DATA/images.tfrecord" > out 2> err; echo "status $?: $(cat out)$(cat err)"
tfr bench-feed --device host -q --steps 1 --trace t.json -f "$DATA/images.tfrecord" > out 2> err; echo "status $?"
ls -A
