# What ends a run over a list, told with its line.
try() { tfr shard "$@" -o out.tfrecord 2>&1 | sed 's/in [0-9.]* s/in N s/'; echo "status ${PIPESTATUS[0]}"; ls -A | grep out || true; }
printf 'a,b\n1,"x\n2,y\n' > open.csv; try open.csv
printf 'a,b\n1,x\r2,y\n' > cr.csv; try cr.csv
: > empty.csv; try empty.csv
printf 'a,b\n' > none.csv; try none.csv
printf 'a,,b\n1,2,3\n' > noname.csv; try noname.csv
printf 'a,b,a\n1,2,3\n' > twice.csv; try twice.csv
printf 'a,b\n1,x\n' > good.csv
try good.csv --types c=int
try good.csv --label-base 1
try good.csv --types a
try good.csv --types a=complex
try good.csv --embed c
try good.csv --embed =x
try good.csv --embed a --embed a
try good.csv good.csv
try good.csv --from xml
try "$DATA/images" --types a=int
mkdir d.csv; try --from csv d.csv
try gone.csv
printf 'a,b\n1,x\n' | try --from csv - --shuffle
printf '\x04\x22\x4d\x18' > packed; try packed
