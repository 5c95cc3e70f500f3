# The modules and the program for HDF5 are found from the place of tfr, wherever its folder is put.
if tfr version | grep -qE 'no (libarchive|libhdf5|libyaml|giflib)'; then echo 'built without an optional library'; exit 77; fi
top=$(dirname "$(readlink -f "$(command -v tfr)")")/..
if [ ! -d "$top/lib/tfr/0" ]; then echo 'the modules are not in ../lib: an emulator, or an installed package'; exit 77; fi
mkdir -p moved/bin moved/lib/tfr/0 moved/libexec/tfr
cp "$(readlink -f "$(command -v tfr)")" moved/bin/
if [ ! -L "$top/lib/tfr/0" ]; then cp -a "$top"/lib/*.so* moved/lib/; fi   # a tree with its libraries
cp "$top"/lib/tfr/0/{archive,audio,gif,webp,yaml}.so moved/lib/tfr/0/
cp "$top/libexec/tfr/tfr-read-hdf5" moved/libexec/tfr/
mv moved elsewhere
tfr=$PWD/elsewhere/bin/tfr
echo "modules that are opened"
$tfr version --json | grep -c '"opens": true'
tar -C "$DATA" -czf images.tgz images
$tfr shard -q images.tgz -o a.tfrecord; $tfr count a.tfrecord > /dev/null && echo archive
$tfr shard -q "$DATA/arrays/kinds.h5" -o h.tfrecord; $tfr count h.tfrecord > /dev/null && echo HDF5
echo "a start opens no module"
LD_DEBUG=files $tfr count a.tfrecord 2>&1 > /dev/null | grep -c '/tfr/0/'
LD_DEBUG=files $tfr shard -fq images.tgz -o a.tfrecord 2>&1 > /dev/null | grep -o '/tfr/0/.*generating link map' | sed 's/ *\[0\];.*//'
echo "a module that may not be used, and one that is none"
chmod o+w elsewhere/lib/tfr/0/archive.so
$tfr shard -fq images.tgz -o a.tfrecord 2>&1 | sed "s|$PWD/||"; echo "status ${PIPESTATUS[0]}"
chmod o+w elsewhere/bin/tfr; $tfr shard -fq images.tgz -o a.tfrecord && echo "nor is tfr itself protected"; chmod o-w elsewhere/bin/tfr
rm -f elsewhere/lib/tfr/0/archive.so; echo text > elsewhere/lib/tfr/0/archive.so
$tfr shard -fq images.tgz -o a.tfrecord 2>&1 | sed "s|$PWD/||g"; echo "status ${PIPESTATUS[0]}"
cp elsewhere/lib/tfr/0/{gif,archive}.so
$tfr shard -fq images.tgz -o a.tfrecord 2>&1 | sed "s|$PWD/||"; echo "status ${PIPESTATUS[0]}"
cp elsewhere/lib/tfr/0/{gif,remote}.so   # also while the kind of an input is detected
$tfr shard -fq s3://bucket/images -o a.tfrecord 2>&1 | sed "s|$PWD/||"; echo "status ${PIPESTATUS[0]}"
