# Oriented boxes of YOLO, four corners each, as polygons: their corners, the box around them, and masks.
exec 2>&1
mkdir -p o/images/train o/labels/train; echo '{"images": [{"file_name": "1.png", "width": 8, "height": 6}, {"file_name": "2.png", "width": 8, "height": 6}]}' | python3 "$TOOLS/masks.py" images o/images/train
printf 'names: [plane, ship]\ntrain: images/train\n' > o/data.yaml
printf '1 0.5 0 1 0.5 0.5 1 0 0.5\n0 0.25 0.25 0.75 0.25 0.75 0.75 0.25 0.75\n' > o/labels/train/1.txt
printf '0 0.5 0.5 0.5 0.5\n' > o/labels/train/2.txt
tfr shard o --no-shuffle --draw-masks -o s.tfrecord 2>&1 | sed 's/, read [0-9].*//'
tfr show --json --limit 9 s.tfrecord | grep -o '"image/object/\(bbox\|polygon\|class\)/[a-z]*": [^]]*]'
tfr show --json --limit 9 --bytes base64 s.tfrecord | python3 "$TOOLS/masks.py" draw .
