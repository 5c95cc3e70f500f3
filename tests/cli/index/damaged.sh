# A damaged file gets no index: status 1 with file, record and offset.  The others get theirs, and nothing is left behind.
python3 - <<'P'
import records
whole = b''.join(records.frame(b'record %d' % n) for n in range(5))
size = len(whole) // 5
def write(name, data): open(name, 'wb').write(data)
write('whole', whole)
write('length', whole[:2 * size] + b'\xff' + whole[2 * size + 1:])
write('cut', whole[:-3])
write('cut-header', whole[:4 * size + 7])
write('tail', whole + b'12345')
write('payload', whole[:size + 13] + b'X' + whole[size + 14:])
write('forged', whole + records.header(1 << 40) + b'spam')
write('text', b'name,label\n' * 10)
P
gzip -c whole | head -c -4 > cut.gz
tfr index length whole cut cut-header tail payload forged text cut.gz 2> err; echo "status $?"
sed 's/([0-9.]* s)/(N s)/' err
ls -A *.idx .*.tmp 2> /dev/null
cat payload.idx
