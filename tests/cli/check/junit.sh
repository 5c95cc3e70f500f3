# JUnit XML is well-formed whatever a file is called, and says of each file what text says of it.
python3 - <<'P'
import os
import records
whole = records.frame(b'alpha') + records.frame(b'beta')
bad = bytearray(whole)
bad[13] ^= 1
names = [b'a<b>&"c".tfrecord', b"it's]]>.tfrecord", b'line\nbreak\ttab\r.tfrecord', b'esc\x1b[31m.tfrecord',
         b'latin\xe9.tfrecord', b'\xef\xbf\xbe\xef\xbf\xbf.tfrecord', 'größe😀.tfrecord'.encode(), b'\xf0\x9f.tfrecord', b'\x7f.tfrecord']
for name in names:
    open(name, 'wb').write(bad)
open('whole.tfrecord', 'wb').write(whole)
open('two.tfrecord', 'wb').write(bytes(bad) + b'tail')
os.symlink('/proc/self/mem', 'unreadable.tfrecord')   # its first byte is no memory: EIO
open('weird-key.tfrecord', 'wb').write(records.frame(b'<![CDATA[' * 3))
P
cat > read.py <<'P'
import sys
import xml.etree.ElementTree as tree
root = tree.parse('out.xml').getroot()
suite, = root
print(root.tag, suite.tag, {k: v for k, v in sorted(suite.attrib.items()) if k != 'time'}, float(suite.get('time')) >= 0)
for case in suite:
    print(ascii(case.get('name')), [(c.tag, c.get('type'), ascii(c.get('message')), ascii(c.text)) for c in case])
P
tfr check -q --format junit ./*.tfrecord > out.xml 2> err; echo "status $?"; wc -l < err
python3 read.py
echo "stdin and one good file:"
tfr check --format junit - < whole.tfrecord > out.xml 2> err; echo "status $?"; sed 's/(.*s)/(…)/' err
python3 read.py
echo "an empty file is a case as well:"
: > empty.tfrecord
tfr check -q --format junit empty.tfrecord > out.xml; echo "status $?"; python3 read.py
echo "many files, any number of jobs:"
for i in $(seq 40); do cp two.tfrecord many$i; done
for j in 1 8; do tfr check -q -j $j --format junit many* | grep -v '<testsuite ' > out$j; done
cmp out1 out8 && grep -c '<testcase' out1
tfr check --format xml whole.tfrecord 2> /dev/null; echo "status $?"
echo "inputs that cannot be opened:"
for format in junit github; do
  tfr check --format $format nosuch > out; echo "status $?"
  sed 's/ time="[0-9.]*"/ time="…"/' out
done
