# FILE.gzi is judged as FILE.idx is; the two are written together, and neither where one cannot be.
exec 2>&1
seq 200000 > lines
tfr cat -q --from lines lines -o a.gz; tfr index -q a.gz; cp -a a.gz.idx idx; cp -a a.gz.gzi gzi
touch -d 2020-01-01 a.gz
new() { touch -d 2021-01-01 idx gzi; cp -a idx a.gz.idx; cp -a gzi a.gz.gzi; }
says() {
  tfr index --check -q a.gz; echo "  check: status $?"
  tfr index a.gz 2>&1 | sed 's/ ([0-9.]* s)//'
  cmp a.gz.idx idx 2>&1; cmp a.gz.gzi gzi 2>&1 | sed 's/, in line.*//' # which line depends on who compressed
}
poke() { python3 -c '
import struct, sys
data = bytearray(open("gzi", "rb").read())
struct.pack_into("<Q", data, *map(int, sys.argv[1:]))
open("a.gz.gzi", "wb").write(data)' "$@"; }
echo 'up to date'; new; says
echo 'missing'; new; rm a.gz.gzi; says
echo 'the lines are missing'; new; rm a.gz.idx; says
echo 'older'; new; touch -d 2019-01-01 a.gz.gzi; says
echo 'both older'; new; touch -d 2019-01-01 a.gz.gzi a.gz.idx; says
echo 'the last point elsewhere in the file'; new; size=$(stat -c %s gzi); poke $((size - 16)) $(($(stat -c %s a.gz) - 9)); says
echo 'behind its end'; new; poke $((size - 16)) 100000000; says
echo 'elsewhere in the records'; new; poke $((size - 8)) $(python3 -c "print(int.from_bytes(open('gzi', 'rb').read()[-8:], 'little') - 59)"); says
echo 'the first point elsewhere'; new; poke 8 11; says
echo 'one point fewer'; new; head -c -16 gzi > a.gz.gzi; printf '\3' | dd of=a.gz.gzi conv=notrunc status=none; says
echo 'cut off'; new; head -c -1 gzi > a.gz.gzi; says
echo 'something else'; new; echo 'my notes' > a.gz.gzi; says
echo 'forced'; tfr index -qf a.gz; cmp a.gz.gzi gzi
echo 'a folder'; rm a.gz.*; mkdir a.gz.gzi; tfr index -q a.gz; echo "status $?"; tfr index -qf a.gz; echo "status $?"; ls -A; rmdir a.gz.gzi
echo 'the other a folder'; mkdir a.gz.idx; tfr index -qf a.gz; echo "status $?"; ls -A; rmdir a.gz.idx
echo 'in the way'; (flock 9; tfr index -qf a.gz; echo "status $?") 9> .a.gz.gzi.tmp; ls -A; rm -f .a.gz.gzi.tmp
echo 'damaged'; head -c 400000 a.gz > b.gz; tfr index -q b.gz 2>&1 | sed 's/record .*/record …/'; echo "status ${PIPESTATUS[0]}"; ls b.*
