# The same words in the same order for any -j.
for n in $(seq 20); do
  { cat "$DATA/members.tfrecord"; head -c $n /dev/zero; } > f$n
done
tfr check -q -j 1 f* > one
for j in 2 3 8; do tfr check -q -j $j f* | cmp - one; done
wc -l < one
