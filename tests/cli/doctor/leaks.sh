# Leaks between splits: identical sets, the same image under two names, small records that are equal by chance; and sets that are no splits.
exec 2>&1
python3 - <<'P'
from records import bytes_list, example, float_list, frame, int64_list
import os, random
rng = random.Random(1)
def write(name, *payloads):
    os.makedirs(os.path.dirname(name) or '.', exist_ok=True)
    open(name, 'wb').write(b''.join(map(frame, payloads)))
def image(i):
    return b'\xff\xd8\xff' + random.Random(i).randbytes(500)
def images(numbers, folder, label=None):
    return [example({'image/encoded': bytes_list([image(i)]), 'image/filename': bytes_list([b'%s/%d.jpg' % (folder, i)]),
                     'image/class/label': int64_list([i % 3 if label is None else label])}) for i in numbers]
def rows(n, seed, values=10):
    r = random.Random(seed)
    return [example({'a': int64_list([r.randrange(values)]), 'b': int64_list([r.randrange(values)]), 'c': float_list([r.randrange(values)])}) for _ in range(n)]
write('same/train.tfrecord', *images(range(50), b'a')); write('same/test.tfrecord', *images(range(50), b'a'))
write('names/img-train.tfrecord', *images(range(50), b'a')); write('names/img-val.tfrecord', *images([7], b'b', 9), *images(range(100, 120), b'b'))
write('empty/train.tfrecord', b'', example({}), *images(range(30), b'a')); write('empty/test.tfrecord', b'', example({}), *images(range(100, 130), b'b'))
write('rows/train.tfrecord', *rows(900, 1, 60)); write('rows/validation.tfrecord', *rows(200, 2, 60), *rows(3, 1, 60))
write('table/train.tfrecord', *rows(900, 1, 1000)); write('table/validation.tfrecord', *rows(200, 2, 1000), *rows(40, 1, 1000))
write('unrelated/a.tfrecord', *images(range(30), b'a')); write('unrelated/b.tfrecord', *images([3], b'a'), *images(range(100, 130), b'b'))
write('copies/a.tfrecord', *images(range(30), b'a')); write('copies/b.tfrecord', *images(range(29), b'a'))
write('shared/a.tfrecord', *images(range(100), b'a')); write('shared/b.tfrecord', *images(range(85, 185), b'b'))
write('sound/clips-training@1', example({})); os.remove('sound/clips-training@1')
write('sound/training.tfrecord', *[example({'audio/encoded': bytes_list([b'RIFF' + image(i)]), 'id': int64_list([i])}) for i in range(20)])
write('sound/dev.tfrecord', *[example({'audio/encoded': bytes_list([b'RIFF' + image(i)]), 'id': int64_list([900 + i])}) for i in range(19, 30)])
write('folders/train2017/x.tfrecord', *images(range(20), b'a')); write('folders/val2017/x.tfrecord', *images([5], b'b'))
P
for s in same names empty rows table unrelated copies shared sound; do echo "$s:"; tfr doctor -q $s | sed '/^note: tiny/,$d'; echo "status ${PIPESTATUS[0]}"; done
echo "folders:"; tfr doctor -q folders/train2017 folders/val2017
echo "the command finds them:"; for s in same names shared; do sh -c "$(tfr doctor -q $s | sed -n 's/^ *see: //p' | head -n 1)" | tail -n 4; done
tfr diff --overlap --json names/img-train.tfrecord names/img-val.tfrecord | python3 -c 'import json, sys; print(json.load(sys.stdin)["overlap"])'
tfr diff --overlap --features names/img-train.tfrecord names/img-val.tfrecord | tail -n 1
echo "one image under two names, in one set:"; mkdir in; cp "$DATA/media/420.jpg" in/1.jpg; cp in/1.jpg in/2.jpg; cp "$DATA/media/422.jpg" in/3.jpg; mkdir one
tfr shard -q --no-classes in -o one/set.tfrecord; tfr doctor -q one | sed '/^note: tiny/,$d'
tfr dedup one/set.tfrecord -o again.tfrecord 2>&1 | tail -n 1
sh -c "$(tfr doctor -q one | sed -n 's/^ *fix: //p' | head -n 1)" 2>&1 | tail -n 1; tfr doctor -q one/*unique*
echo "images that TensorFlow 2.21 refuses for their size, and three that it decodes:"
python3 - "$DATA/media/420.jpg" "$DATA/media/la.png" <<'P'
from records import bytes_list, example, frame
import struct, sys, zlib
jpeg, png = (bytearray(open(f, 'rb').read()) for f in sys.argv[1:])
at = jpeg.index(b'\xff\xc0')
def sized(data, at, form, *size): return bytes(data[:at]) + struct.pack(form, *size) + bytes(data[at + struct.calcsize(form):])
large = [sized(jpeg, at + 5, '>HH', *s) for s in ((29700, 20990), (13377, 13377), (13378, 13378))]
def checked(data): return data[:29] + struct.pack('>I', zlib.crc32(data[12:29])) + data[33:]
large += [checked(sized(png, 16, '>II', *s)) for s in ((29700, 20990), (23300, 23000))] + [bytes(jpeg)]
open('large.tfrecord', 'wb').write(b''.join(frame(example({'image/encoded': bytes_list([i])})) for i in large))
P
tfr doctor -q large.tfrecord
