#!/usr/bin/env python3
"""Makes tests/data/audio: a WAV file of every kind, written by soundfile, and its floats, as SciPy reads it.

    make-audio-golden.py DIRECTORY        (needs soundfile, scipy, numpy: scripts/venv arrays)

NAME.wav   a sound
NAME.f32   its values as little-endian floats, channels side by side: SciPy's numbers over 2^(bits - 1), in doubles
other/     what is told from a WAV and not taken: RF64, RIFX, A-law"""
import os
import sys
import warnings

import numpy as np
import soundfile
from scipy.io import wavfile

out = sys.argv[1]
rng = np.random.default_rng(5)
warnings.simplefilter('ignore', wavfile.WavFileWarning)   # chunks that are not samples
os.makedirs(os.path.join(out, 'other'), exist_ok=True)


def sound(samples, channels):
    """Noise with both ends of the range in it."""
    a = rng.uniform(-1, 1, (samples, channels))
    a[0, 0], a[1, 0], a[2, 0] = -1, 1 - 2 ** -31, 0
    return a


def values(path):
    """SciPy gives 24 bits in the upper ones of 32."""
    _, numbers = wavfile.read(path)
    if numbers.dtype == np.uint8:
        return (numbers.astype(np.float64) - 128) / 128
    if numbers.dtype.kind == 'i':
        return numbers.astype(np.float64) / 2 ** (8 * numbers.dtype.itemsize - 1)
    return numbers.astype(np.float64)


def still(path):
    """Takes the time of writing out of the chunk "PEAK"."""
    data = bytearray(open(path, 'rb').read())
    at = data.find(b'PEAK')
    if at > 0:
        data[at + 12:at + 16] = bytes(4)
        open(path, 'wb').write(data)


def wav(name, subtype, channels, rate, samples, container='WAV'):
    path = os.path.join(out, name + '.wav')
    soundfile.write(path, sound(samples, channels), rate, subtype=subtype, format=container)
    still(path)
    values(path).astype('<f4').tofile(os.path.join(out, name + '.f32'))


wav('u8', 'PCM_U8', 1, 8000, 41)                     # an odd number of bytes: a byte behind them
wav('s16', 'PCM_16', 2, 44100, 50)
wav('s24', 'PCM_24', 1, 48000, 33)
wav('s32', 'PCM_32', 2, 96000, 20)
wav('f32', 'FLOAT', 1, 16000, 30)                    # with chunks "fact" and "PEAK" before its samples
wav('f64', 'DOUBLE', 2, 16000, 20)
wav('extensible', 'PCM_24', 6, 48000, 10, 'WAVEX')
soundfile.write(os.path.join(out, 'other', 'rf64.wav'), sound(9, 1), 8000, subtype='PCM_16', format='RF64')
soundfile.write(os.path.join(out, 'other', 'rifx.wav'), sound(9, 1), 8000, subtype='PCM_16', format='WAV', endian='BIG')
soundfile.write(os.path.join(out, 'other', 'alaw.wav'), sound(9, 1), 8000, subtype='ALAW', format='WAV')
