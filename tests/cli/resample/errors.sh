# Everything that cannot be had is said so, and leaves nothing.
python3 "$TOOLS/classes.py" make in 2 0=40 1=30 21=20
fail() { tfr resample -q in@2 -o out "$@" > stdout 2> err; echo "status $?"; cat stdout err; }
fail --by label --target '0=1,2=1'
fail --by label --target '0=1,210=1'
fail --by label --target uniform --size 61
fail --by label --per-class 21
fail --by nope --target uniform
fail --by lable --target uniform
fail --by score --target uniform
fail --by label --target uniform --bins 2,1
fail --by label --target '0=-1'
fail --by label --target '0=1,0=2'
fail --by label --target nowhere.tsv
fail --by label --target uniform --initial 0=1
fail --by label --target uniform --method reject
fail --by label
fail --target uniform
fail --by label --class 'a=label==1' --target uniform
fail --by label --target uniform --per-class 5
fail --by label --per-class 0
fail --by label --target uniform --size 0
fail --class a --target uniform
fail --class 'other=label==1' --target uniform
fail --class 'a=label==1' --class 'a=label==0' --target uniform
fail --class 'a=label=' --target uniform
fail --weights score --size 61
fail --by label --target uniform --shuffle -m 1M
fail --by label --target uniform --where 'label == 5' --size 1
tfr resample -q in@2 --by label --target uniform 2>&1; echo "status $?"
tfr resample -q in@2 --by label --target 2=1 -o - 2> err | wc -c
ls -A
# What exists is told of at once, and stays as it was.
echo old > out; head -c 70 in-00000-of-00002 > cut
tfr resample -q cut --by label --target uniform -o out 2>&1; echo "status $?"
tfr resample -q cut --by label --target uniform -f -o out 2>&1; echo "status $?"; cat out
