# --decode: the broken images are named with where they are.
tfr check -q --decode "$DATA/images.tfrecord"; echo "status $?"
python3 - <<'P'
import os, pathlib, records
items = [(p.name, p.read_bytes()) for p in sorted(pathlib.Path(os.environ['DATA'], 'images/broken').iterdir())]
with open('broken', 'wb') as f:
    for name, data in items:
        f.write(records.frame(records.example({'image/encoded': records.bytes_list([data]),
                                               'image/filename': records.bytes_list([name.encode()])})))
P
tfr check -q --decode broken; echo "status $?"
