# What means nothing together is refused.
run() { tfr shard "$@"; echo "status $?"; }
exec 2>&1
mkdir images masks
run --image images -o a@2
run --image images --mask masks images -o a@2
run --mask masks -o a@2
run --from pairs images -o a@2
run --from folder images --mask masks -o a@2
run --from nothing images -o a@2
run images --mask gone -o a@2
run images --mask masks --label-base 1 -o a@2
run images --mask masks -o a@2
ls
