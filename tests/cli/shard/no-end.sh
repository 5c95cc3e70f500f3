# A JPEG without an end marker is truncated; with --reencode it gets the marker where nothing else is missing.
mkdir in files
for name in 420 444 gray; do head -c -2 "$DATA/images/jpeg/$name.jpg" > in/$name.jpg; done
cp "$DATA"/images/png/*.png in
tfr shard --no-shuffle in -o plain.tfrecord 2>&1 | grep truncated | sort
tfr shard -q --reencode jpeg in -o jpeg.tfrecord
tfr check -q --decode jpeg.tfrecord
tfr export -q jpeg.tfrecord -o files -f
for name in 420 444 gray; do cmp "$DATA/images/jpeg/$name.jpg" files/$name.jpg && echo $name; done
tfr shard -q --reencode png in -o png.tfrecord
tfr count png.tfrecord

# Pixels are missing, or scans of a progressive JPEG may be.
head -c -40 "$DATA/images/jpeg/420.jpg" > in/420.jpg
head -c -2 "$DATA/images/jpeg/progressive.jpg" > in/444.jpg
tfr shard --no-shuffle --reencode jpeg in -o cut.tfrecord 2>&1 | grep truncated | sort
