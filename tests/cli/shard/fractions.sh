# Several sets by a hash of the path: together everything, once; an image stays where it is when others come and go.
mkdir -p in/a in/b
for n in $(seq 100); do cp "$DATA/images/png/rgb.png" in/a/$n.png; cp "$DATA/images/jpeg/420.jpg" in/b/$n.jpg; done
names() { tfr show -q --json "$@" | grep -o '"image/filename": [^]]*]' | sort; }
tfr shard in -q -o train@2.tfrecord=0.8 -o test@1.tfrecord=0.2; echo "status $?"
names train@2.tfrecord > train; names test@1.tfrecord > test
sort train test | uniq | wc -l; comm -12 train test | wc -l
[ $(wc -l < test) -gt 20 ] && [ $(wc -l < test) -lt 60 ] || wc -l test
rm in/a/[1-4]*.png && mkdir again && tfr shard in -q -o again/train@2.tfrecord=0.8 -o again/test@1.tfrecord=0.2
comm -13 test <(names again/test@1.tfrecord)
tfr shard in -q -o x@1.tfrecord=0.8 -o y@1.tfrecord=0.4; echo "status $?"
