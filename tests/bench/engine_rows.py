"""The rows of scripts/bench for tfrkit.ray and tfrkit.beam: reading, beside the engine's own reader.

Engine and workers run before the time begins, on both sides.  Both read the same file; it is small where the peer is slow,
which favours the peer: nearly all of our time is that of Ray's tasks.  Ray runs in a network of its own, because it listens on
the addresses of the host."""
import pathlib

from measure import Row

TESTS = pathlib.Path(__file__).resolve().parent
NETWORK = ('ip link set lo up; ip link add v0 type veth peer name v1; ip addr add 10.9.9.9/24 dev v0; '
           'ip link set v0 up; ip link set v1 up; exec "$@"')
ISOLATED = ['unshare', '--net', '--ipc', '--pid', '--fork', '--mount-proc', '--kill-child', 'bash', '-c', NETWORK, 'bash']
RAY_RECORDS = 10_000


def every(place, ray, beam, beam_records):
    """`ray` and `beam` each make their input, and name its file: records of 192 bytes, RAY_RECORDS and `beam_records` of them."""
    def row(engine, name, peer, records, goal, made, files):
        command = [*(ISOLATED if engine == 'ray' else []), 'env', 'PYTHONPATH=%s' % (place.release / 'python'),
                   'PATH=%s:/usr/sbin:/usr/bin:/sbin:/bin' % place.tfr.parent, place.engines, TESTS / 'peer_engines.py', engine]
        return Row('engine-%s-read' % engine, '`%s`, 192 bytes' % name, peer, [*command, 'tfrkit', *files, records],
                   place.engines and [*command, engine, *files, records], goal, rate=True, pairs=3, before=made)

    return [row('ray', 'tfrkit.ray.read', '`ray.data.read_tfrecords`', RAY_RECORDS, '≥ 10', *ray),
            row('beam', 'tfrkit.beam.ReadRecords', '`ReadFromTFRecord`', beam_records, '≥ 5', *beam)]
