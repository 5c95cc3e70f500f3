# Nothing in, with --allow-empty: empty sets, whole ones, with a warning for a file that was named.
: > none
for by in '' '--key x' '--stratify x'; do
  tfr split --allow-empty -f none $by -o a@2=0.5 -o b 2>&1 | sed 's/B in .*/B/;s/s in .*/s/'; echo "status ${PIPESTATUS[0]}"
  tfr count a@2 b 2> /dev/null
done
tfr split --allow-empty -q -o c=0.5 -o d < /dev/null; echo "status $?"; tfr count -q c d
tfr split --allow-empty -q --where 'id < 0' --stratify label none -o e=0.5 --json | grep -E 'selected"|classes'
tfr split --allow-empty -q "$DATA/kinds.tfrecord" --where 'nothing == 1' -o f=0.5 -o g; echo "status $?"; tfr count -q f g
ls
