# A damaged record ends it with file and offset, and nothing is there of any set; or is skipped and counted.
python3 "$TOOLS/labelled.py" good 0 2000
python3 - <<'P'
import records
data = bytearray(open('good', 'rb').read())
at = [o for o, _, _ in records.unframe(bytes(data))][1234]
data[at + 20] ^= 1
open('bad', 'wb').write(data)
open('cut', 'wb').write(data[:at + 30])
P
for by in '' '--key key' '--stratify label' '--stratify text --key id -j 8 -m 1'; do
  for file in bad cut; do
    mkdir out
    tfr split good $file $by -o out/a@2=0.5 -o out/b=0.3 2> err; echo "status $?"; cat err
    rmdir out
  done
done
for by in '' '--stratify label -j 1' '--stratify label -j 4'; do
  tfr split -f good bad cut $by -o a@2=0.5 -o b --on-error skip 2> err; echo "status $?"
  grep -v '^[0-9ab]' err | grep -E 'warning|tfr split: read' | sort | sed 's/B in .*/B/'
  tfr count a@2 b
done
cp "$DATA/README.md" text
tfr split good text -o x=0.5 2>&1; echo "status $?"
ls
