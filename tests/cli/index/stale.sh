# What is up to date is left alone, what is stale replaced, what may be somebody's work refused without -f.
new() { python3 "$DATA/records.py" write alpha beta gamma > a; rm -f a.idx; tfr index -q a; touch -d '2020-01-01' a.idx; touch -d '2019-01-01' a; }
says() { tfr index --check -q a; echo "  check: status $?"; tfr index a 2>&1 | sed 's/ ([0-9.]* s)//'; tr '\n' ';' < a.idx; echo; }
echo 'up to date'; new; says; date -u -r a.idx +%Y
echo 'CRLF and tabs, on one line'; printf '0\t21\r\n21 20   41 21' > a.idx; touch -d 2020-01-01 a.idx; says
echo 'older'; new; touch -d '2021-01-01' a; says
echo 'dated ahead'; new; touch -d '2100-01-01' a; tfr index -q a; says
echo 'missing'; new; rm a.idx; says
echo 'the file grew'; new; python3 "$DATA/records.py" write delta >> a; touch -d 2019-01-01 a; says
echo 'the file was cut'; new; truncate -s 41 a; touch -d 2019-01-01 a; says
echo 'two records in one line'; new; printf '0 41\n41 21\n' > a.idx; says
echo 'one line too many, of nothing'; new; printf '0 21\n21 20\n41 21\n62 16\n' > a.idx; says
echo 'a selection'; new; printf '0 21\n41 21\n' > a.idx; says
echo 'another order'; new; printf '21 20\n0 21\n41 21\n' > a.idx; says
echo 'a third column'; new; printf '0 21 x\n21 20 y\n' > a.idx; says
echo 'something else'; new; echo 'my notes' > a.idx; says
echo 'odd'; new; printf '0 21\n21 20\n41' > a.idx; says
echo 'too large'; new; printf '0 21\n21 99999999999999999999\n' > a.idx; says
echo 'a negative length'; new; printf '0 -21\n' > a.idx; says
echo 'forced'; tfr index -qf a; echo "status $?"; tr '\n' ';' < a.idx; echo
echo 'a folder'; new; rm a.idx; mkdir a.idx; tfr index -q a; echo "status $?"; tfr index --check -q a; echo "status $?"
