# Classes of any bytes: told apart, sorted bytewise, shown harmlessly, and named again as they are shown.
python3 "$TOOLS/classes.py" make in 1 'a,b=20' 'a=b=30' '"quoted"=10' 'new\nline=10' '\xff\xfe=15' '=12' 'back\\slash=11' 'tab\there=13' '\xc3\xa9t\xc3\xa9=14' \
  'a long name that takes a lot of room in a table which is only eighty columns=10'
tfr resample in@1 --by text --target uniform -o out 2> err; grep -v '^tfr' err
python3 -c 'print(max(len(line) for line in open("err") if not line.startswith("tfr")) - 1, "columns")'
tfr resample -q in@1 --by text --target uniform -o out --json -f | python3 -c '
import json, sys
for row in json.load(sys.stdin)["classes"]:
    print(ascii(row["class"]))'
ask() { tfr resample -q in@1 -f -o out --by text --target "$1" 2>&1 && tfr count out; }
ask '"a,b"=1'
ask "'a=b'=1,'\"quoted\"'=1"
ask '"new\nline"=1'
ask '\xff\xfe=1'
ask '""=1'
ask 'back\\slash=1'
ask 'tab\x09here=1,été=1'
printf 'a,b\t1\na=b\t1\n\t1\nback\\\\slash\t1\ntab\\there\t1\n' > list
ask list
ask 'back\slash=1'
ask 'a=b=1'
# The ends of int64.
python3 "$TOOLS/classes.py" make ends 1 9223372036854775807=3 -9223372036854775808=4 -1=5 0=6
tfr resample ends@1 --by label --target uniform -o out -f 2>&1 | grep -v '^tfr'
tfr resample -q ends@1 --by label --target '9223372036854775807=1,-9223372036854775808=1' -o out -f
python3 "$TOOLS/classes.py" count label out
tfr resample -q ends@1 --class 'low=label < 0' --target uniform -o out@2.tfrecord --json | grep '"class"'
