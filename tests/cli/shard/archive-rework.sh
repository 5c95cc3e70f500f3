# The images of an archive and of a WebDataset are changed on their way as those of a folder are.
mkdir -p in/a in/b && cp "$DATA"/images/jpeg/{420,exif-6,cmyk}.jpg in/a && cp "$DATA"/images/png/{rgb,deep}.png "$DATA/images/broken/cut.png" in/b
how=(--resize 8 --orient --rgb8 --reencode png --sha256)
tfr shard -q --no-shuffle in -o folder.tfrecord "${how[@]}"; echo "status $?"
(cd in && tar cf ../in.tar --sort=name a b)
tfr shard -q in.tar -o tar.tfrecord "${how[@]}" --report r.tsv; echo "status $?"
cmp folder.tfrecord tar.tfrecord && echo same
cut -f 1-3 r.tsv
mkdir samples && cp in/a/420.jpg samples/1.jpg && echo 3 > samples/1.cls
(cd samples && tar cf ../samples.tar 1.jpg 1.cls)
tfr shard -q --from webdataset samples.tar -o web.tfrecord "${how[@]}"; echo "status $?"
tfr show -q web.tfrecord | grep -E 'encoded|width|label|sha256' | sed 's/, [0-9.]* [KMb][^"]*$//; s/"….*/"/'
