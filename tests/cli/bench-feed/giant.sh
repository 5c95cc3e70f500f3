# One giant among the images does not keep the others from being fed: it is a bad record where it needs too much.
python3 - <<'P'
import os, struct, zlib
def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
def png(path, side):
    rows = (b'\0' + bytes(side)) * side
    with open(path, 'wb') as f:
        f.write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', side, side, 8, 0, 0, 0, 0)) +
                chunk(b'IDAT', zlib.compress(rows, 1)) + chunk(b'IEND', b''))
os.makedirs('images/a')
png('images/a/giant.png', 9000)
for i in range(70):
    png('images/a/p%02d.png' % i, 40)
P
tfr shard -q images -o set@1
for j in 1 2 4; do
  tfr bench-feed --device host -q -j $j -m 300M --batch 16 --size 32 --shuffle-buffer 16 --epochs 1 --on-error skip --json set@1 2> err |
    python3 -c 'import json, sys; r = json.load(sys.stdin); print(r["records"], r["skipped"])'
  cat err
done
