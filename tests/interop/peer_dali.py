"""Reads files with NVIDIA DALI through indexes, on the CPU: peer_dali.py [--shuffle] LABEL TEXT FILE INDEX [FILE INDEX]...

Prints a JSON object a record, in DALI's order, without shuffling unless asked: {LABEL: number, TEXT: the bytes in hex}.
"""
import json
import sys

from nvidia.dali import fn, pipeline_def, tfrecord


@pipeline_def(batch_size=1, num_threads=1, device_id=None)
def records(files, indexes, label, text, shuffle):
    out = fn.readers.tfrecord(path=files, index_path=indexes, name='reader', random_shuffle=shuffle, features={
        label: tfrecord.FixedLenFeature([1], tfrecord.int64, -1), text: tfrecord.FixedLenFeature((), tfrecord.string, '')})
    return out[label], out[text]


shuffle = sys.argv[1] == '--shuffle'
label, text, *pairs = sys.argv[1 + shuffle:]
pipeline = records(pairs[::2], pairs[1::2], label, text, shuffle)
pipeline.build()
for _ in range(pipeline.epoch_size('reader')):
    numbers, texts = pipeline.run()
    print(json.dumps({label: int(numbers.at(0)[0]), text: bytes(texts.at(0)).hex()}))
