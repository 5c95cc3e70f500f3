# What is wrong is told, with its status, and nothing is left behind.
run() { tfr shard "$@"; echo "status $?"; }
exec 2>&1
mkdir empty texts images
echo text > texts/a.txt
cp "$DATA/media/420.jpg" images/1.jpg
head -c 300 "$DATA/media/420.jpg" > images/2.jpg
run empty -o t@2
run texts -o t@2
run gone -o t@2
run texts/a.txt -o t@2
run images
run -o t@2
run images texts -o t@2
run images -o t@0
run images -o a@2=0.6 -o b@2=0.6
run images -o a@2=2
run images -o t@2 --sha512
run images -o t@2 --on-error nothing
run images -o t@2 --on-error fail
ls
