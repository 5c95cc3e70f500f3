# Sets by their names and manifests: members that are missing, mixtures, copies, empty shards, manifests.
exec 2>&1
fix() { python3 "$TOOLS"/fix.py "$@"; }
cat > make.py <<'P'
from records import bytes_list, example, frame
import sys
folder, n = sys.argv[1], int(sys.argv[2])
open('%s.tfrecord' % folder, 'wb').write(b''.join(frame(example({'x': bytes_list([b'%d' % i])})) for i in range(n)))
P
python3 make.py all 40
fresh() { rm -rf d; mkdir d; tfr cat -q -o d/train@4.tfrecord all.tfrecord; }
fresh; echo "good:"; tfr doctor -q d; echo "status $?"; tfr doctor -q d/train.4-tfrecord.manifest.json d/train@4.tfrecord 'd/*.tfrecord'; echo "status $?"
echo "missing:"; rm d/train-0000[13]*; for p in d d/train@4.tfrecord d/train.4-tfrecord.manifest.json; do tfr doctor -q $p; echo "status $?"; done
fix missing d
echo "listed files may be any subset:"; tfr doctor -q d/train-00000*; echo "status $?"
fresh; echo "mixture:"; tfr cat -q -f -o d/train@3.tfrecord all.tfrecord; fix mixture d
fresh; echo "twice:"; tfr cat -q -o d/train@4.tfrecord.gz -z gzip all.tfrecord -f; fix twice d
fresh; echo "empty:"; : > d/train-00002-of-00004.tfrecord; fix empty d; : > d/b.tfrecord; fix empty d
fresh; echo "manifest:"; cp d/train-00000* d/train-00001-of-00004.tfrecord; fix manifest d
fresh; tfr cat -q -f -o d/train-00001-of-00004.tfrecord --records 1-11 all.tfrecord; fix manifest d; echo '{' > d/train.4-tfrecord.manifest.json; fix manifest d
fresh; echo "no-manifest:"; rm d/train.4-tfrecord.manifest.json; fix no-manifest d
fresh; echo "names of TFDS:"; rm -r d; mkdir d; tfr cat -q -o d/set-train.tfrecord@2 all.tfrecord; tfr doctor -q d; echo "status $?"
