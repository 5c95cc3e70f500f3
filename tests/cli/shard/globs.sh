# Files are chosen by their names and paths; a folder that is left out is no class.
mkdir -p in/cat/deep in/dog/raw in/junk && P="$DATA/images/png/rgb.png"
cp "$P" in/cat/1.png && cp "$P" in/cat/2.PNG && cp "$P" in/cat/deep/3.png && cp "$P" in/dog/4.png && cp "$P" in/dog/raw/5.png && cp "$P" in/junk/6.png && cp "$DATA/media/420.jpg" in/dog/7.jpg
run() {
  echo "-- $*"
  tfr shard --no-shuffle -q -f in -o t.tfrecord "$@" 2>&1; echo "status $?"
  tfr show -q t.tfrecord | grep -E 'filename|label' | sed 's/.*\] *//' | paste -d ' ' - - | tr -d '"' | paste -sd ','
}
run
run --include '*.png'
run --include '*.jpg' --include 'cat/deep'
run --include 'cat/**'
run --include '/dog/*'
run --include '**/raw/*.png'
run --include '[0-2].*'
run --exclude raw
run --exclude 'junk/' --exclude '*.jpg'
run --exclude 'ca?'
run --include dog --exclude 'dog/raw/5.png'
run --include '?.p*g' --include '*.[j-k]pg' --exclude '**/deep/**'
run --include 'cat/*/*/3.png'
run --include ''
run --include '1.png/'
