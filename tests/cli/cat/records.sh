# --records: numbers over the stream of all inputs, behind --interleave and before everything else.
python3 "$DATA/records.py" write 'a0 ' 'a1 ' 'a2 ' 'a3 ' 'a4 ' > a
python3 "$DATA/records.py" write 'b0 ' 'b1 ' 'b2 ' > b
lay() { tfr cat --raw "$@" 2>&1 | sed 's/tfr cat: read \([0-9]*\), .*/| read \1/'; }
lay a b --records 0
lay a b --records 7
lay a b --records 6-,1-2
lay a b --records 5,3,3,2-4,5
lay a b --records 0-
lay a b --records 3 --interleave 2,1
lay a b --records 1-6 --interleave 2,1 --every 2 --skip 1 --limit 1
lay a b --records 8
lay a b --records 2,8-9
lay a b --records 11-
lay a b --records 0-100 --limit 2
for wrong in '' , 1, ,1 -1 2-1 1--2 1-2-3 x 1x '1, 2' 1..2 18446744073709551615 99999999999999999999; do
  tfr cat -q a --records "$wrong"; echo "status $?"
done 2>&1
# Behind the last number nothing is read: the end may be damaged, or a pipe that stays open.
head -c 70 a > cut; lay cut --records 0,2; lay cut --records 0,3
python3 - <<'Q'
import subprocess
child = subprocess.Popen(['tfr', 'cat', '-q', '--raw', '--records', '1', '-'], stdin=subprocess.PIPE)
child.stdin.write(open('a', 'rb').read())
child.stdin.flush()
print('status', child.wait(30))
Q
# A damaged record keeps its number when it is passed over.
python3 -c 'data = bytearray(open("a", "rb").read()); data[19 * 2 + 12] ^= 1; open("bad", "wb").write(data)'
lay bad --records 3 --on-error skip; lay bad --records 2 --on-error skip
