# A page is whole or absent, and nothing is written over without -f.
cp "$DATA/kinds.tfrecord" . && head -c 200 kinds.tfrecord > cut
tfr show -q --html page.html cut; echo "status $?"; ls
echo mine > page.html
tfr show -q --html page.html kinds.tfrecord; echo "status $?"; cat page.html
tfr show -q --html page.html -f cut; echo "status $?"; cat page.html
tfr show -q --html page.html -f kinds.tfrecord; echo "status $?"; grep -c '<article' page.html
tfr show -f kinds.tfrecord; echo "status $?"
tfr show --json --html x kinds.tfrecord; echo "status $?"
ls
# A feature in each of which a page would burst, were all shown; 100 records are, unless -n says more.
python3 - << 'END'
import records
f = records.field
wide = f(1, b''.join(records.entry(b'f%06d' % i, records.int64_list([i])) for i in range(100000)))
long = f(1, records.entry(b'x', records.int64_list([1] * 3000000)))
open('large', 'wb').write(records.frame(wide) + records.frame(long) + b''.join(records.frame(b'') for _ in range(200)))
END
tfr show -q --html large.html large && grep -c '<article' large.html && grep 'more</p>' large.html && grep -c '<tr>' large.html
[ "$(stat -c %s large.html)" -lt 300000 ] || ls -l large.html
tfr show -q --html large.html -f -n 150 large && grep -c '<article' large.html
tfr show -q -n 2 large | wc -l
