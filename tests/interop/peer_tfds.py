"""What TensorFlow Datasets makes of a folder, for tests/interop/run.

peer_tfds.py FOLDER

Prints a JSON object of the data set, then one for each example of each split: the image's bytes in hex, and the
SHA-256 of its pixels.
"""
import hashlib
import json
import os
import sys

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'

import tensorflow_datasets as tfds

builder = tfds.builder_from_directory(sys.argv[1])
info = builder.info
label = info.features['label'] if 'label' in info.features else None
print(json.dumps({
    'name': info.name, 'names': label.names if label else None,
    'splits': {name: [split.num_examples, split.num_bytes, split.num_shards] for name, split in info.splits.items()},
}))
for name in info.splits:
    decoded = builder.as_dataset(split=name, shuffle_files=False)
    plain = builder.as_dataset(split=name, shuffle_files=False, decoders={'image': tfds.decode.SkipDecoding()})
    for pixels, example in zip(decoded.as_numpy_iterator(), plain.as_numpy_iterator(), strict=True):
        assert pixels['image/filename'] == example['image/filename']
        print(json.dumps({
            'split': name, 'filename': example['image/filename'].hex(), 'label': int(example.get('label', -1)),
            'image': example['image'].hex(), 'shape': pixels['image'].shape,
            'pixels': hashlib.sha256(pixels['image'].tobytes()).hexdigest(),
        }))
    if label:
        pairs = builder.as_dataset(split=name, shuffle_files=False, as_supervised=True)
        assert sum(1 for _ in pairs) == info.splits[name].num_examples
