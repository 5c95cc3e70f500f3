# A producer that fails destroys nothing: an empty stream, or one that is cut between two records, is refused by whatever writes.
seq 500 | tfr cat -q --from lines -o all.tfrecord; sum=$(tfr count --sum all.tfrecord | cut -f 2)
head -c 0 /dev/null > empty; tfr cat -q -n 499 all.tfrecord -o cut.tfrecord
tfr shuffle-to-disk -q all.tfrecord -o good@2; tfr cat -q all.tfrecord -o good.tfrecord; tfr count --sum good@2 > before
echo '{"x": 1}' > one.jsonl; tfr shard -q one.jsonl -o examples.tfrecord; : > none.jsonl
say() { "$@" 2>&1 | sed 's/in [0-9.]* s,/in N s,/'; echo "status ${PIPESTATUS[0]}"; }
untouched() { tfr count --sum good@2 | cmp - before && tfr check -q --manifest good@2 && tfr cat -q good.tfrecord | cmp - all.tfrecord && ls -A | wc -l; }
untouched
echo "an empty stream"
for command in "cat -" "shard --from records -" "shuffle-to-disk -" "split -" "repair -"; do say tfr $command -f -o good@2 < empty; done
say tfr resample -f empty --by label --target uniform -o good@2; say tfr dedup -f empty -o good@2; say tfr shard none.jsonl -f -o good@2
tfr cat /nonexistent 2> /dev/null | say tfr shuffle-to-disk - -f -o good@2
say tfr export empty -o out; say tfr export empty -o out.csv --columns x; say tfr cat --raw -f -o good.tfrecord empty; say tfr cat empty
untouched
echo "none of some"
say tfr cat -f --where 'x == 2' examples.tfrecord -o good@2; say tfr cat -f -n 0 all.tfrecord -o good@2; say tfr shuffle-to-disk -f --where 'x == 2' examples.tfrecord -o good@2
printf garbage > garbage; say tfr repair garbage -f -o good@2 | tail -2; say tfr export --where 'x == 2' examples.tfrecord -o out
rm garbage; untouched
echo "--expect, --expect-sum"
for command in cat "shard --from records" shuffle-to-disk split dedup repair; do
  say tfr $command -f cut.tfrecord -o good@2 --expect 500; say tfr $command -f cut.tfrecord -o good@2 --expect-sum $sum
  tfr $command -q all.tfrecord -o x.tfrecord --expect 500 --expect-sum $sum && tfr count x.tfrecord && rm x.tfrecord
done
say tfr resample -f examples.tfrecord --by x --target uniform -o good@2 --expect 2
tfr resample -q examples.tfrecord --by x --target uniform -o x.tfrecord --expect 1 --expect-sum $(tfr count --sum examples.tfrecord | cut -f 2) && rm x.tfrecord
say tfr export examples.tfrecord -o out --expect 2; untouched
echo "cat with other features: the sum is that of what was read"
tfr cat -q --keep x --expect-sum $(tfr count --sum examples.tfrecord | cut -f 2) examples.tfrecord | tfr count
echo "check"
say tfr check all.tfrecord --expect 500 --expect-sum $sum -q; say tfr check cut.tfrecord --expect 500 -q; say tfr check -q cut.tfrecord --expect-sum $sum
say tfr check --quick --expect 500 -q cut.tfrecord all.tfrecord; say tfr check -q --expect 500 --json cut.tfrecord; say tfr check --quick --expect-sum $sum all.tfrecord
echo "--allow-empty"
for command in cat "shard --from records" shuffle-to-disk split dedup repair; do tfr $command -q empty -o e@2 --allow-empty && tfr count -q e@2 && tfr check -q --manifest e@2 && rm e*2*; done
tfr cat -q -n 0 all.tfrecord --allow-empty | wc -c; tfr export -q --allow-empty empty -o e.jsonl && wc -c < e.jsonl; tfr cat -q empty -o e.tfrecord --expect 0 && wc -c < e.tfrecord
echo "usage"
for e in 5x '' -1 18446744073709551616; do say tfr cat all.tfrecord -o x --expect "$e"; done; say tfr check all.tfrecord --expect-sum 12; ls x 2> /dev/null
