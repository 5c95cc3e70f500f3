# Each set gets its share of each class, to the nearest whole image, and images stay where they are when others come.
mkdir -p in/many in/some in/few
python3 - <<'P'
import shutil, os
for folder, n in (('many', 100), ('some', 25), ('few', 3)):
    for i in range(n):
        shutil.copy(os.environ['DATA'] + '/images/png/bits.png', 'in/%s/%03d.png' % (folder, i))
P
count() { for s in "$@"; do tfr count -q --by image/class/text $s | paste -sd ' '; done; }
tfr shard -q in -o train@2.tfrecord -o val.tfrecord=0.2 -o test.tfrecord=0.1 --stratify-classes; echo "status $?"
count train@2.tfrecord val.tfrecord test.tfrecord
echo "by the law of split"
tfr shard -q in -o all.tfrecord
tfr split -q all.tfrecord -o s-train.tfrecord -o s-val.tfrecord=0.2 -o s-test.tfrecord=0.1 --key image/filename --stratify image/class/text
count s-train.tfrecord s-val.tfrecord s-test.tfrecord
names() { tfr show -q --json $1 | grep -o '"image/filename": \[[^]]*' | sort; }
for s in val test; do diff <(names $s.tfrecord) <(names s-$s.tfrecord) > /dev/null && echo "the same images"; done
echo "any threads, any order of the sets' shards"
tfr shard -q in -j 7 -o j-train@2.tfrecord -o j-val.tfrecord=0.2 -o j-test.tfrecord=0.1 --stratify-classes && cmp val.tfrecord j-val.tfrecord && echo same
echo "stable: ten more of one class move few"
names val.tfrecord > before
for i in 0 1 2 3 4 5 6 7 8 9; do cp in/many/000.png in/many/x$i.png; done
tfr shard -q -f in -o train@2.tfrecord -o val.tfrecord=0.2 -o test.tfrecord=0.1 --stratify-classes
names val.tfrecord | comm -13 - before | wc -l
echo "refused"
tfr shard -q in -o one.tfrecord --stratify-classes; echo "status $?"
tfr shard -q in/few -o a.tfrecord=0.5 -o b.tfrecord --stratify-classes; echo "status $?"
tfr shard -q in -o half.tfrecord=0.5 --stratify-classes; count half.tfrecord
echo "files that are no images have no part in it"
mkdir -p n/x n/y; for k in x y; do for i in 0 1 2 3 4; do cp in/many/00$i.png n/$k/p$i.png; echo x > n/$k/note$i.md; echo x > n/$k/z$i.log; done; done
tfr shard -q n -o n-train.tfrecord=0.8 -o n-val.tfrecord=0.2 --stratify-classes; count n-train.tfrecord n-val.tfrecord
