# What is wrong is told, with its status, and nothing is left behind.
run() { tfr shard "$@"; echo "status $?"; }
exec 2>&1
mkdir empty texts pictures
echo text > texts/a.txt
cp "$DATA/media/420.jpg" pictures/1.jpg
head -c 300 "$DATA/media/420.jpg" > pictures/2.jpg
run empty -o t@2
run texts -o t@2
run gone -o t@2
run texts/a.txt -o t@2
run pictures
run -o t@2
run pictures texts -o t@2
run pictures -o t@0
run pictures -o a@2=0.6 -o b@2=0.6
run pictures -o a@2=2
run pictures -o t@2 --sha512
run pictures -o t@2 --on-error nothing
run pictures -o t@2 --on-error fail
ls
