#!/usr/bin/env python3
"""Files of sounds and arrays, written by those whose formats they are: run it with the python that scripts/venv arrays prints.

peer_arrays.py sounds FOLDER SEED COUNT

Writes random WAV files by soundfile, and prints a JSON line of each: what it is, and its floats as soundfile reads it.
"""
import json
import pathlib
import sys

import numpy as np
import soundfile

KINDS = [('WAV', s) for s in ('PCM_U8', 'PCM_16', 'PCM_24', 'PCM_32', 'FLOAT', 'DOUBLE')] + [
    ('WAVEX', s) for s in ('PCM_U8', 'PCM_16', 'PCM_24', 'PCM_32', 'FLOAT', 'DOUBLE')]


def sounds(folder, seed, count):
    rng = np.random.default_rng(int(seed))
    folder = pathlib.Path(folder)
    folder.mkdir()
    for n in range(int(count)):
        kind, subtype = KINDS[n % len(KINDS)]
        rate, channels = int(rng.choice([8000, 11025, 44100, 96000])), int(rng.integers(1, 7))
        samples = int(rng.integers(1, 3000))
        path = folder / ('%03d.wav' % n)
        soundfile.write(path, rng.uniform(-1, 1, (samples, channels)), rate, subtype=subtype, format=kind)
        floats, _ = soundfile.read(path, dtype='float32', always_2d=True)
        print(json.dumps({'name': path.name, 'rate': rate, 'channels': channels, 'samples': samples, 'subtype': subtype,
                          'format': kind, 'floats': floats.ravel().tolist()}))


if __name__ == '__main__':
    {'sounds': sounds}[sys.argv[1]](*sys.argv[2:])
