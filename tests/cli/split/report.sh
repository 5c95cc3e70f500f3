# The tables keep to 80 columns, or to COLUMNS, and escape what a terminal would act on; classes after the 20th are counted.
out() { tee text | cat -v; [ $(LC_ALL=C.UTF-8 wc -L < text) -le ${COLUMNS:-80} ] || echo too wide; }
python3 "$TOOLS/labelled.py" in 0 600 1000 6; python3 "$TOOLS/labelled.py" many 0 600 1000 61
tfr split in --stratify text -o a@2=0.7 -o b=0.2 -o c 2>&1 | grep -v '^tfr split:' | out
tfr split many --stratify label -o d@2.tfrecord=0.5 -o e.tfrecord=0.25 -o f=0.05 -o g=0.05 -o h=0.05 2>&1 | grep -v '^tfr split:' | out
long=$(printf 'x%.0s' $(seq 100))
mkdir -p "$long"; tfr split in --key id --stratify label -o "$long/i@2.tfrecord=0.5" -o "$long.ü€.tfrecord" 2>&1 | grep -v '^tfr split:' | out
export COLUMNS=40
tfr split in -f --key id --stratify label -o "$long/i@2.tfrecord=0.5" -o "$long.ü€.tfrecord" 2>&1 | grep -v '^tfr split:' | out
unset COLUMNS
tfr split in --stratify label -o j=0.5 -o k 2>&1 > /dev/null | tail -n 1
tfr split in -o l=0.5 -o m 2>&1 | tail -n 1 | cut -c 1-40
tfr split -q in --stratify label -o n=0.5 -o o 2>&1
tfr split -q in --stratify text --json -o p=0.5 -o q=0.1 | grep -v seconds
tfr split -q in --json -o r=0.5 -o s | grep -v 'seconds\|"sum"'
# Numbers come before texts, by size; a number and the same bytes are two classes.
python3 -c '
import records as r
values = [r.int64_list([v]) for v in (10, -3, 9, -(1 << 63), (1 << 63) - 1)]
values += [r.bytes_list([v]) for v in (b"b", b"a", b"ab", b"10", b"")]
open("mixed", "wb").write(b"".join(
    r.frame(r.example({"v": v, "n": r.int64_list([n])})) for v in values for n in range(4)))'
tfr split mixed --stratify v -o t=0.5 -o u 2>&1 | grep -v '^tfr split:' | out
