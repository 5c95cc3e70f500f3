# 600 images and 600 masks into 6 shards of 100, each image with its own mask.
mkdir images masks
# What follows a PNG's end is kept with it: every mask is another file.
python3 - "$DATA/pairs" <<'END'
import pathlib, sys
jpeg, png = (pathlib.Path(sys.argv[1], name).read_bytes() for name in ('images/gray8.jpg', 'masks/gray8.png'))
for n in range(1, 601):
    pathlib.Path('images/%d.jpg' % n).write_bytes(jpeg)
    pathlib.Path('masks/%d.png' % n).write_bytes(png + b'mask %d\n' % n)
END
tfr shard -q images --mask masks -o set@6.tfrecord || exit
tfr count --per-file 'set@6.tfrecord'
tfr show --json --bytes base64 --limit 600 'set@6.tfrecord' | python3 -c "
import base64, json, sys
for n, line in enumerate(sys.stdin):
    r = json.loads(line)
    mask = base64.b64decode(r['image/segmentation/class/encoded'][0]['base64'])
    assert mask.endswith(b'mask %d\n' % int(r['image/filename'][0][:-4])), n
print(n + 1)"
