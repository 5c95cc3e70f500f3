# Keypoints, captions and panoptic segments of COCO, together and alone; what is wrong with them is named.
exec 2>&1
cat > people.json <<'END'
{"images": [{"id": 1, "file_name": "a.png", "width": 10, "height": 5}, {"id": 2, "file_name": "b.png", "width": 4, "height": 4},
            {"id": 3, "file_name": "c.png", "width": 3, "height": 2}],
 "annotations": [
  {"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 5, 5], "area": 9, "iscrowd": 0, "keypoints": [1, 2, 2, 2.5, 4, 1, 0, 0, 0], "num_keypoints": 2},
  {"id": 2, "image_id": 1, "category_id": 1, "bbox": [0, 0, 5, 5], "area": 9, "iscrowd": 1},
  {"id": 3, "image_id": 1, "category_id": 5, "bbox": [0, 0, 5, 5], "area": 9},
  {"id": 4, "image_id": 2, "category_id": 1, "bbox": [0, 0, 2, 2], "area": 1, "keypoints": [3, 3, 2, 0, 0, 0, 1, 1, 2]}],
 "categories": [{"id": 1, "name": "person", "keypoints": ["nose", "left_eye", "right_eye"], "skeleton": [[1, 2]]}, {"id": 5, "name": "ball"}]}
END
cat > captions.json <<'END'
{"images": [{"id": 3, "file_name": "c.png", "width": 3, "height": 2}, {"id": 1, "file_name": "a.png", "width": 10, "height": 5}],
 "annotations": [{"image_id": 1, "id": 8, "caption": "A nose."}, {"image_id": 3, "id": 9, "caption": "C\u00e9 \"x\""},
                 {"image_id": 1, "id": 7, "caption": ""}, {"image_id": 44, "id": 6, "caption": "nobody's"}]}
END
mkdir images panoptic
python3 "$TOOLS/masks.py" images images < people.json
cat > paint.py <<'END'
import struct, sys, zlib
def png(path, rows):
    def chunk(kind, data): return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
    raw = b''.join(b'\0' + b''.join(struct.pack('<I', v)[:3] for v in row) for row in rows)
    open(path, 'wb').write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', len(rows[0]), len(rows), 8, 2, 0, 0, 0))
                           + chunk(b'IDAT', zlib.compress(raw)) + chunk(b'IEND', b''))
png('panoptic/b.png', [[7, 7, 70000, 70000], [7, 9, 9, 0], [5, 9, 9, 0], [300, 300, 300, 300]])
png('panoptic/c.png', [[1, 2, 3], [3, 2, 1]])
END
python3 paint.py
cat > panoptic.json <<'END'
{"annotations": [
  {"image_id": 2, "file_name": "b.png", "segments_info": [
    {"id": 7, "category_id": 1, "area": 3, "bbox": [0, 0, 1, 1], "iscrowd": 0}, {"id": 70000, "category_id": 200, "area": 2, "iscrowd": 0},
    {"id": 9, "category_id": 5, "iscrowd": 1}, {"id": 300, "category_id": 1}]},
  {"image_id": 3, "file_name": "c.png", "segments_info": []}],
 "images": [{"id": 2, "file_name": "b.png", "width": 4, "height": 4}, {"id": 3, "file_name": "c.png", "width": 3, "height": 2}],
 "categories": [{"id": 1, "name": "person", "isthing": 1}, {"id": 5, "name": "ball", "isthing": 1}, {"id": 200, "name": "sky", "isthing": 0}]}
END
masks() { python3 "$TOOLS/masks.py" panoptic .; }
show() { tfr show -q --json --bytes base64 "$@" | sed 's/"image\/encoded": [^]]*], //; s/"image\/panoptic\/[a-z_]*": [^]]*], //g'; }
tfr shard --annotations people.json --captions captions.json --panoptic panoptic.json images -o all.tfrecord 2>&1 | sed 's/in [0-9.]* s,/in N s,/'
show all.tfrecord; tfr check -q --example --decode all.tfrecord
tfr show -q --json --bytes base64 all.tfrecord | masks
echo --- alone
tfr shard -q --captions captions.json images -o c.tfrecord; show c.tfrecord
mv panoptic elsewhere; tfr shard -q images --panoptic panoptic.json --panoptic-masks elsewhere -o p.tfrecord
tfr show -q --json --bytes base64 p.tfrecord | masks
tfr shard -q -j 4 images --annotations people.json --panoptic <(cat panoptic.json) --panoptic-masks elsewhere --captions captions.json -o q.tfrecord; cmp all.tfrecord q.tfrecord && echo equal
echo --- refused
run() { tfr shard -q -f "$@" -o t.tfrecord; echo "status $?"; }
run images --panoptic panoptic.json
run images --panoptic-masks elsewhere
run images --captions captions.json --draw-masks
run images --captions captions.json --label-base 1
run images --captions captions.json --mask elsewhere
run --from folder images --captions captions.json
p() { printf '%s' "$2" > "$1.json"; tfr shard -q -f images --"$1" "$1.json" ${3-} -o t.tfrecord; }
image='"images": [{"id": 1, "file_name": "a.png", "width": 10, "height": 5}]'
a() { p annotations "{$image, \"annotations\": [{\"image_id\": 1, \"category_id\": 1, \"bbox\": [0, 0, 1, 1], \"area\": 1, \"keypoints\": $1}], \"categories\": [{\"id\": 1, \"name\": \"x\"${2-, \"keypoints\": [\"a\"]\}}]}"; }
a '[1, 2]'; a '[1, 2, 3, 4, 5, 6]'; a '[1, "2", 3]'; a '{}'; a '[1, 2, 1.5]'; a '[1, 2, 2]' '}'; a '[1, 2, 2]' ', "keypoints": []}'; a '[1, 2, 2]' ', "keypoints": [1]}'; a '[1, 2, 2]' ', "keypoints": "x"}'
p captions "{$image, \"annotations\": [{\"image_id\": 1}]}"; p captions "{$image, \"annotations\": [{\"caption\": \"x\"}]}"; p captions "{$image}"
s() { p panoptic "{$image, \"annotations\": [$1], \"categories\": [{\"id\": ${2-1}, \"name\": \"x\"${3-, \"isthing\": 1}}]}" '--panoptic-masks elsewhere'; }
s '{"image_id": 1, "file_name": "a.png"}'; s '{"image_id": 1, "segments_info": []}'; s '{"image_id": 1, "file_name": "a.png", "segments_info": [{}]}'
s '{"image_id": 1, "file_name": "a.png", "segments_info": [1]}'; s '' 1 ''; s '' 1 ', "isthing": 2'
one='{"image_id": 1, "file_name": "b.png", "segments_info": [{"id": 7, "category_id": 1}]}'; s "$one, $one"
echo --- what other tools write where there is nothing
other=$image image='"images": [{"id": 1, "file_name": "b.png", "width": 4, "height": 4}]'
for points in '[]' null; do for names in '[]' null; do a "$points" ', "keypoints": '"$names}"; tfr show -q --json t.tfrecord | grep -c keypoint; done; done
a '[]'; tfr show -q --json t.tfrecord | grep -o '"image/object/keypoint[^]]*]'
rm t.tfrecord; s '{"image_id": 1, "file_name": "b.png", "segments_info": [{"id": 7, "category_id": 1}]}' 1 ', "isthing": true'; tfr count t.tfrecord
image=$other
echo --- skipped
w() { tfr shard -f images --panoptic panoptic.json --panoptic-masks elsewhere -o t.tfrecord 2>&1 | sed 's/in [0-9.]* s,/in N s,/'; }
x() { s "$@" > /dev/null 2>&1; w; }
x "$one"
image='"images": [{"id": 1, "file_name": "b.png", "width": 4, "height": 4}]'
x "${one/b.png/gone.png}"; x "${one/b.png/..\/b.png}"; x "${one/\"category_id\": 1/\"category_id\": 9}"; x "${one/\"category_id\": 1/\"category_id\": 256}" 256
cp images/b.png elsewhere/gray.png; x "${one/b.png/gray.png}"; head -c 60 elsewhere/b.png > elsewhere/cut.png; x "${one/b.png/cut.png}"
