# WebP, GIF and BMP become records as they are; what is cut short or not decoded is skipped and named.
if tfr version | grep -qE 'no (giflib|libwebp)'; then echo 'built without giflib or libwebp'; exit 77; fi
mkdir in
cp "$DATA"/media/{rgb,palette,top-down}.bmp "$DATA"/media/{interlaced,small-frame}.gif "$DATA"/media/{lossy,alpha,animated}.webp in
tfr shard -q in -o kept.tfrecord
for name in image/filename image/format image/height image/width image/channels; do
	tfr show --json kept.tfrecord | grep -o "\"$name\": \[[^]]*\]" | sort | uniq -c
done
tfr check -q --decode kept.tfrecord && echo decoded
tfr schema kept.tfrecord | grep image/encoded
tfr bench-feed -q --device host --stages read,parse,decode,resize=16,batch=4,upload --epochs 2 kept.tfrecord > /dev/null && echo fed

# As files again, byte by byte.
tfr export -q kept.tfrecord -o files
for file in in/*; do
	cmp "$file" "files/$(basename "$file")"
done

# Changed, they become PNGs, or what is asked for.
tfr shard -q --resize 9x8 in -o small.tfrecord
tfr shard -q --reencode jpeg in -o jpeg.tfrecord
tfr shard -q --reencode png --verify-images in -o png.tfrecord
for set in small jpeg png; do
	tfr show --json $set.tfrecord | grep -o '"image/format": \[[^]]*\]' | sort | uniq -c
	tfr check -q --decode $set.tfrecord
done

mkdir cut
head -c 400 in/interlaced.gif > cut/a.gif
head -c 13 in/interlaced.gif > cut/b.gif
head -c 900 in/rgb.bmp > cut/c.bmp
head -c 40 in/rgb.bmp > cut/d.bmp
(cat in/rgb.bmp; echo) > cut/e.bmp
head -c 300 in/lossy.webp > cut/f.webp
head -c 20 in/lossy.webp > cut/g.webp
printf 'BM\x42\0\0\0\0\0\0\0\x3e\0\0\0\x28\0\0\0\x01\0\0\0\x01\0\0\0\x01\0\x01\0\0\0\0\0\x04\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xff\xff\xff\0\0\0\0\0' > cut/bit.bmp
printf 'II*\0\x08\0\0\0' > cut/h.tiff
for file in cut/*; do
	mkdir one
	cp "$file" in/rgb.bmp one
	tfr shard one -o one.tfrecord -f 2>&1 | grep warning
	rm -r one
done
