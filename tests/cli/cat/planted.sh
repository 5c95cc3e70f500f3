# What another program put under a temporary name is never written to, and never adopted.
exec 2>&1
in=$DATA/members.tfrecord
echo precious > mine
for force in '' -f; do
  for plant in 'ln mine .out.tmp' 'ln -s mine .out.tmp' 'mkfifo .out.tmp' 'mkdir .out.tmp'; do
    $plant; tfr cat -q $force "$in" -o out; echo "status $?: $(cat mine; cmp "$in" out)"
    [ -n "$force" ] || rm out
    rm -rf .out.tmp
  done
done
rm out
for plant in 'ln mine .out.lock' 'ln -s mine .out.lock' 'mkfifo .out.lock' 'mkdir .out.lock'; do
  $plant; tfr cat -q "$in" -o out; echo "status $?: $(cat mine)"; rm -rf .out.lock
done
# An empty lock file that a killed run left is taken.
: > .out.lock; tfr cat -q "$in" -o out; echo "status $?"; ls -A
# A lock file that is held is not.
(flock 9; tfr cat -qf "$in" -o out; echo "status $?") 9> .out.lock; rm .out.lock
# A set whose second shard cannot be placed: the first is not there either, nor is a manifest.
tfr cat -q "$in" -o t@2.tfrecord; rm t-00001-of-00002.tfrecord; mkdir t-00001-of-00002.tfrecord
sum=$(cat t-00000-of-00002.tfrecord *.json | cksum)
tfr cat -qf "$in" -o t@2.tfrecord; echo "status $?"
[ "$sum" = "$(cat t-00000-of-00002.tfrecord *.json | cksum)" ] && echo 'as it was'
ls -A
# Another name of standard output is no file to replace.
rm -f out; link=$(readlink /dev/stdout); tfr cat -qf "$in" -o /dev/stdout > out; echo "status $?"; cmp "$in" out
[ "$link" = "$(readlink /dev/stdout)" ] && echo 'a link still'
