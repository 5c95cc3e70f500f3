# What cannot be looked at, and what is said of it.
exec 2>&1
run() { tfr doctor -q "$@"; echo "status $?"; }
mkdir none; touch none/a.txt
run; run -; run nosuch; run 'no*such'; run nosuch@4; run none; run --full --sample-size 1M none; run --readers 4 none
echo '{}' > bad.manifest.json; run bad.manifest.json
echo nothing > a.tfrecord; run a.tfrecord
: > b.tfrecord; run b.tfrecord
cp "$DATA/payloads.tfrecord" .; run payloads.tfrecord ./payloads.tfrecord payloads.tfrecord
echo - > list; run @list
