"""The rows of scripts/bench that run a command as the parts of a job, on one machine.

Every part has one thread.  Jobs of one part are measured against the command without parts, and jobs of more against the job of
one.  Parts that write sets also write their shards (finish --part); the end of the job is part of the time.  The shell that starts
the parts starts the command without parts, too."""
import functools
import subprocess

from measure import Row

PARTS = (1, 2, 4, 8)
SHARDS = 8   # of the images: half of the 16 that the other rows read
# JOB N PHASES END COMMAND...
RUN = ('job=$1 n=$2 phases=$3 end=$4; shift 4; rm -rf "$job"; all() { pids=; for i in $(seq 0 $((n - 1))); do "$@" --part $i/$n & '
       'pids="$pids $!"; done; for p in $pids; do wait $p || exit 1; done; }; '
       'for phase in $phases; do case $phase in once) all "$@" --job "$job";; *) all "$@" --job "$job" --phase $phase;; esac; done; '
       'if [ "$end" ]; then all "$1" finish -q -j 1 "$job"; fi; "$1" finish -q -j 1 "$job" > /dev/null')

# JOB N COMMAND...
ALONE = 'rm -rf "$1"; n=$2; shift 2; for i in $(seq $n); do :; done; "$@" & wait $!'


def every(place, before):
    tfr, out = place.tfr, place.ram / 'out'
    records = [place.ram / ('data-%05d-of-00016.tfrecord' % k) for k in range(SHARDS)]
    packed = place.ram / 'packed@8.tfrecord.gz'

    @functools.lru_cache
    def pack():
        subprocess.run([tfr, 'cat', '-q', *map(str, records), '-o', str(packed)], check=True)

    def prepare():
        before()
        pack()

    def job(words, n, phases, end):
        return ['bash', '-c', RUN, 'bash', place.ram / 'out/job', n, phases, end, tfr, words[0], '-q', '-j', 1, *words[1:]]

    def row(name, words, what, n, peer, command, phases='once', end='', goal='', prepared=before):
        made = Row('parts-%s-%d' % (name, n), '%s as %d part%s' % (what, n, 's' * (n > 1)), peer, job(words, n, phases, end),
                   command, goal, pairs=3, before=prepared)
        made.images = True
        return made

    def one(words, threads):
        return ['bash', '-c', ALONE, 'bash', place.ram / 'out/job', threads, tfr, words[0], '-q', '-j', threads, *words[1:]]

    kinds = [
        ('check', ['check', *records], '`check`', 'once', '', '', before),
        ('check-gzip', ['check', packed], '`check` of GZIP', 'once', '', '≥ 1.8', prepare),
        ('shard-gzip', ['shard', packed, '-o', out / 'x@8.tfrecord'], '`shard` from GZIP', 'once', 'yes', '≥ 1.8', prepare),
        ('resize', ['shard', place.photos, '--resize', '256', '-o', out / 'x@8.tfrecord'], '`shard --resize 256`', 'once', 'yes', '≥ 1.8', before),
        ('shuffle', ['shuffle', '-m', '64M', *records, '-o', out / 'x@8.tfrecord'], '`shuffle`', 'scatter gather', '', '≥ 1.5',
         before),
        ('dedup', ['dedup', *records, '-o', out / 'x@8.tfrecord'], '`dedup`', 'scatter gather', 'yes', '', before)]
    rows = []
    for name, words, what, phases, end, goal, prepared in kinds:
        rows.append(row(name, words, what, 1, '1 process', one(words, 1), phases, end, prepared=prepared))
        rows += [row(name, words, what, n, '1 part', job(words, 1, phases, end), phases, end, goal if n == 2 else '', prepared)
                 for n in PARTS[1:]]
    check = ['check', *records * 8, *records[::-1] * 8]   # so long that the starts of processes do not count
    rows.append(row('check-threads', check, '`check` of 128 files', 2, '1 process with 2 threads', one(check, 2), goal='≥ 1'))
    return rows
