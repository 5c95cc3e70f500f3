# EXIF's turns: left alone and still told of, or made, for all eight of them.
mkdir in && cp "$DATA"/media/turn-?.jpg "$DATA"/media/turn-6.png in
sizes() { tfr show -q "$1" | grep -E 'encoded' | sed 's/.*\(jpeg\|png\) \([0-9x]*\).*/\1 \2/' | paste -sd ' '; }
tfr shard --no-shuffle -q in -o as-is.tfrecord; sizes as-is.tfrecord
tfr shard --no-shuffle -q in -o turned.tfrecord --orient; sizes turned.tfrecord
echo "only what is to be turned is encoded anew"
tfr cat -q --raw --records 0 as-is.tfrecord | md5sum > a; tfr cat -q --raw --records 0 turned.tfrecord | md5sum | cmp - a && echo same
echo "a second time nothing is to be turned: no EXIF is left"
tfr cat -q --raw turned.tfrecord | grep -ac Exif
tfr cat -q --raw --records 1-6 turned.tfrecord | grep -aq Exif || echo none
echo "sizes are those of the turned image"
tfr shard --no-shuffle -q in -o narrow.tfrecord --orient --resize 4x8; sizes narrow.tfrecord
tfr shard --no-shuffle -q in -o shorter.tfrecord --orient --resize 5; sizes shorter.tfrecord
echo "resized and not turned, the turn is still told of"
tfr shard --no-shuffle -q in -o kept.tfrecord --resize 5; sizes kept.tfrecord
tfr cat -q --raw kept.tfrecord | grep -ao Exif | wc -l
