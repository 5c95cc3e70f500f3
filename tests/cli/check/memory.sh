# Memory: 64 MiB, and 4 MiB and a record a worker, for a large file, a compressed one, and thousands of files in one call.
[ -n "${SANITIZED-}" ] && { echo 'peak memory is not for sanitizers'; exit 77; }
python3 "$TOOLS/labelled.py" part 0 5000
for _ in $(seq 180); do cat part; done > large
gzip -1 -c large > large.gz
mkdir many
python3 - <<'P'
import records
frames = [records.frame(b'%d' % n * (n % 50)) for n in range(100)]
for n in range(5000):
    with open('many/%d.tfrecord' % n, 'wb') as f:
        f.write(b''.join(frames[:n % 100]))
P
cat > peak.py <<'P'
import os
import subprocess
MIB = 1 << 20
cores = sorted(os.sched_getaffinity(0))[:4]
os.sched_setaffinity(0, cores)
limit = (64 + 4 * len(cores)) * MIB   # the records are of less than 100 bytes
def run(*words):
    with open('out', 'wb') as out:
        child = subprocess.Popen(('tfr', *words, '-q'), stdout=out, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(child.pid, 0)
    with open('out', 'rb') as out:
        print(' '.join(words), os.waitstatus_to_exitcode(status), out.read(30) if words[0] != 'cat' else os.path.getsize('out'),
              'over the limit: %d MiB' % (usage.ru_maxrss // 1024) if usage.ru_maxrss * 1024 > limit else '')
for name in 'large', 'large.gz', 'many':
    for options in ('count',), ('count', '--sum'), ('check', '--strict', '--example'), ('cat', '-f', '-o', '-'):
        run(*options, name)
P
python3 peak.py
echo "many files, any number of threads:"
tfr count --per-file -q -j 1 many > one; tfr count --per-file -q -j 8 many | cmp one - && wc -l < one
tfr check -j 8 many 2>&1 | sed 's/(.*)//' | sort | uniq -c | sort -rn | head -n 1 | sed "s/'.*'/NAME/"
tfr check -q -j 8 --format junit many | grep -c '<testcase'
