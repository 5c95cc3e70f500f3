# Every method gives its histogram, in input order; the sums of records are those of a copy made by hand.
python3 "$TOOLS/classes.py" make in 5 0=900 1=61 2=39
ask() { tfr resample -q in@5 -f -o out --by label "$@" || echo "status $?"
  python3 "$TOOLS/classes.py" count label out | tr '\t\n' '= '; echo "$*"; }
ask --target uniform
ask --target uniform --size 100
ask --target '0=0.5,1=0.25,2=0.25'
ask --target '1=1'
ask --target proportional
ask --target proportional^0.5
ask --target proportional^-1 --size 40
ask --per-class 39
ask --per-class 100 --method oversample
ask --target uniform --method oversample
ask --target '0=1,1=1' --method oversample --size 1001
ask --target uniform --where 'label != 2'
printf '0\t10\n2\t10\n' > weights.tsv
ask --target weights.tsv
# Input order: ids ascend in each file, and file after file.
tfr resample -q in@5 -f -o out --by label --target uniform
python3 "$TOOLS/classes.py" ids out | tr ' ' '\n' | sort -n -c 2> /dev/null && echo "one file after the other?"
python3 "$TOOLS/classes.py" ids out | tr ' ' '\n' | awk '{ key = $1 % 5 * 10000 + $1 } key <= last { print "out of order" } { last = key }'
# All of it is all of it.
tfr resample -q in@5 -f -o out --by label --target proportional
[ "$(tfr count --sum in@5)" = "$(tfr count --sum out)" ] || echo "other records"
