#!/usr/bin/env python3
"""Makes a folder of WAV files: make_audio.py FOLDER COUNT

Noise of 16 bits, 16000 samples a second, mono, from 1 to 9 seconds long, in 10 classes: about 160 KB a file.
"""
import pathlib
import random
import sys
import wave

folder, count = pathlib.Path(sys.argv[1]), int(sys.argv[2])
rng = random.Random(7)
noise = rng.randbytes(2 * 16000 * 9)
for n in range(count):
    path = folder / ('class-%d' % (n % 10)) / ('%05d.wav' % n)
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), 'wb') as w:
        w.setnchannels(1)
        w.setsampwidth(2)
        w.setframerate(16000)
        w.writeframes(noise[:2 * rng.randrange(16000, 16000 * 9)])
