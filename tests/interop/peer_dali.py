"""Reads files with NVIDIA DALI through indexes, on the CPU: peer_dali.py LABEL TEXT FILE INDEX [FILE INDEX]...

Prints a JSON object a record, in DALI's order without shuffling: {LABEL: number, TEXT: the bytes in hex}.
"""
import json
import sys

from nvidia.dali import fn, pipeline_def, tfrecord


@pipeline_def(batch_size=1, num_threads=1, device_id=None)
def records(files, indexes, label, text):
    out = fn.readers.tfrecord(path=files, index_path=indexes, name='reader', features={
        label: tfrecord.FixedLenFeature([1], tfrecord.int64, -1), text: tfrecord.FixedLenFeature((), tfrecord.string, '')})
    return out[label], out[text]


label, text = sys.argv[1:3]
pipeline = records(sys.argv[3::2], sys.argv[4::2], label, text)
pipeline.build()
for _ in range(pipeline.epoch_size('reader')):
    numbers, texts = pipeline.run()
    print(json.dumps({label: int(numbers.at(0)[0]), text: bytes(texts.at(0)).hex()}))
