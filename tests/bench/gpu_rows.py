"""The rows of scripts/bench that need a GPU.  Without one they are printed too, as unproven and with the reason, so that a
table says which figures no hardware has confirmed.
"""
import json
import subprocess

import feed_rows
import rows

MINE = ['read=4:1', 'batch=16', 'upload']   # transfers of 16 MiB
WAITED = 1e-3                               # seconds: a longer wait is one for the upload


class Refused(Exception):
    """What tfr says of the GPU that it cannot use."""


def feed(place, *options):
    done = subprocess.run([str(a) for a in (place.tfr, 'bench-feed', '--json', '-q', '--device', 'cuda', '--epochs', 1_000_000, *options)],
                          capture_output=True, text=True)
    if done.returncode:
        raise Refused(done.stderr.partition('\n')[0].removeprefix('tfr bench-feed: ') or 'status %d' % done.returncode)
    return json.loads(done.stdout)


def of_the_link(place):
    report = feed(place, '-j', place.cores, '--seconds', feed_rows.SHORT, '--stages', ','.join(MINE), *feed_rows.make_large(place))
    return report, '%.0f %% of %.1f GB/s' % (
        100 * report['device_bytes_per_second'] / report['devices'][0]['link_bytes_per_second'],
        report['devices'][0]['link_bytes_per_second'] / 1e9)


def steps_that_wait(place):
    """Where a step takes a quarter longer than a batch takes to be prepared."""
    options = ['-j', place.cores, '--stages', ','.join(MINE), '--seconds', feed_rows.SHORT]
    files = feed_rows.make_large(place)
    step = 1.25e3 * 16 / feed(place, *options, *files)['records_per_second']
    report = feed(place, *options, '--compute-ms', '%.2f' % step, *files)
    waits = report['batch_waits']
    return report, '%.1f %%, with steps of %.1f ms' % (
        100 * sum(w['count'] for w in waits if w['seconds'] > WAITED) / max(1, sum(w['count'] for w in waits)), step)


def floats(place):
    """A difference is a failure of the run."""
    report = feed(place, '--batch', feed_rows.IMAGES, '--size', 224, '--augment', 'random-resized-crop,flip,normalise', '--normalise-on',
                  'device', '--verify-transfers', '--steps', 50, *rows.image_shards(place))
    return report, 'no difference in %d batches' % report['batches'] if report['verified'] else 'not verified'


ROWS = [('upload of 1 MiB records in transfers of 16 MiB, of the rate of a plain pinned copy', '≥ 95 %', of_the_link),
        ('steps that wait for their batch', '< 2 %', steps_that_wait),
        ('floats made by the device against those of the host', 'equal', floats)]


def measure(place):
    """Each row as (what, goal, the figure, the device); without a device the figure is the reason why there is none."""
    done = []
    for what, goal, row in ROWS:
        try:
            feed(place, '--steps', 1, *rows.image_shards(place)[:1])   # before files are made for nothing
            report, figure = row(place)
            one = report['devices'][0]
            device = '%s, driver %s' % (one['description'], one.get('driver_version', 'unknown'))
        except Refused as why:
            figure, device = str(why), None
        done.append((what, goal, figure, device))
    return done


def lines(done):
    yield '| on a GPU | measured | goal | hardware |'
    yield '|---|---|---|---|'
    for what, goal, figure, device in done:
        yield '| %s | %s | %s | %s |' % (what, figure if device else '**unproven**', goal, device or 'none: ' + figure)
