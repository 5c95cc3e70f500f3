# What --mix does not take.
python3 "$DATA/records.py" write 'a ' 'b ' > a
cp a b
exec 2>&1
for wrong in '' , a a,b=1 a=1, a=1,,b=1 '=1' "''=1" "'a=1" "'a'1" "'a'x=1" 'a=x' 'a=' 'a=-1' 'a=nan' 'a=inf' 'a=0x1' 'a= 1' 'a=1.5.2' 'a=1e' \
  a=1e60,b=1 a=1e-60,b=1 a=0,b=0 a=1,b=1,a=2 gone=1,a=1 gone@2=1; do
  tfr cat --mix "$wrong"; echo "status $?"
done
tfr cat --mix a=1 b; echo "status $?"
for wrong in until=first 'a=1,until=last' 'a=1,"until"=first'; do tfr cat --mix "$wrong"; echo "status $?"; done
tfr cat --mix a=1,b=1 --mix-end stop; echo "status $?"
tfr cat --mix a=1,b=1 --follow; echo "status $?"
ls
