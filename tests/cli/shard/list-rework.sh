# The images of a list are changed like those of a folder; where none are embedded, that is refused.
mkdir pics && cp "$DATA"/images/jpeg/{420,exif-6,cmyk}.jpg "$DATA/images/broken/cut.jpg" pics
printf 'image,label\npics/420.jpg,1\npics/exif-6.jpg,2\npics/cut.jpg,3\npics/cmyk.jpg,4\n' > list.csv
tfr shard -q list.csv --embed image=image/encoded -o t@2.tfrecord --resize 8 --orient --reencode png --sha256 --report r.tsv; echo "status $?"
for f in t-*; do tfr show -q $f | grep -E 'encoded|filename|width|label' | sed 's/  *image/ image/; s/, [0-9.]* [KMb][^"]*$//'; done
cat r.tsv
tfr shard list.csv -o u.tfrecord --resize 8; echo "status $?"
tfr shard list.csv -o u.tfrecord --sha256; echo "status $?"
tfr shard list.csv -o u.tfrecord --include '*.jpg'; echo "status $?"
tfr shard list.csv -o u.tfrecord=0.5 -o v.tfrecord --stratify-classes; echo "status $?"
ls
