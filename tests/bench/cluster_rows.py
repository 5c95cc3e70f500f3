"""The rows of scripts/bench that run a command in parts, on one machine.

Every part has one thread.  Two parts are measured against one, and one against the command without parts.  The same shell starts
both; `tfr finish` is part of the time."""
from measure import Row

# N FINISH TFR COMMAND...; N 0: without parts
RUN = ('n=$1 finish=$2; shift 2; if [ $n = 0 ]; then "$@" & wait $!; exit; fi; pids=; for i in $(seq 0 $((n - 1))); do '
       '"$@" --part $i/$n & pids="$pids $!"; done; for p in $pids; do wait $p || exit 1; done; '
       'if [ "$finish" ]; then "$1" finish -q -j 1 "$finish"; fi')


def every(place, before):
    tfr, out = place.tfr, place.ram / 'out/x@16.tfrecord'
    records = [place.ram / ('data-%05d-of-00016.tfrecord' % k) for k in range(16)]

    def run(n, words, finish):
        return ['bash', '-c', RUN, 'bash', n, finish, tfr, words[0], '-q', '-j', 1, *words[1:]]

    rows = []
    for name, what, words, finish, goal in (
            ('resize', '`shard --resize 256`', ['shard', place.photos, '--resize', '256', '-o', out], out, '≥ 1.8'),
            ('shard', '`shard`', ['shard', place.photos, '-o', out], out, ''),
            ('check', '`check --decode`', ['check', '--decode', *records], '', '≥ 1.8')):
        for n, peer, label in ((1, 0, '1 process'), (2, 1, '1 part')):
            made = Row('parts-%s-%d' % (name, n), '%s as %d part%s' % (what, n, 's' * (n > 1)), label, run(n, words, finish),
                       run(peer, words, finish), goal if n == 2 else '', pairs=5, before=before)
            made.images = True
            rows.append(made)
    return rows
