# A signal in the middle: the process dies of it, and nothing is left of any set, nor of the temporary file.
python3 "$TOOLS/labelled.py" in 0 300
for n in $(seq 3000); do echo in; done > list
mkdir tmp
for s in SIGINT SIGTERM; do
  python3 "$TOOLS/interrupt.py" $s in tfr split - -q -o a@3=0.5 -o b@2=0.3 -o c
  python3 "$TOOLS/interrupt.py" $s in tfr split @list -q --stratify label --key id -m 1 --tmpdir tmp -o a@3=0.5 -o b
done
# Whenever it comes.
head -n 400 list > short; mkdir out
for wait in 0.02 0.05 0.1 0.2; do
  tfr split -q @short --stratify label --key id -m 1 --tmpdir tmp -o out/a@16=0.3 -o out/b@4 -j 2 2> /dev/null & pid=$!
  sleep $wait
  kill -TERM $pid 2> /dev/null
  wait $pid; status=$?
  left=$(ls -A out tmp | grep -c '^\.')
  [ "$status $left" = '143 0' ] || [ "$status $(ls -A out | wc -l)" = '0 22' ] || echo "status $status, $left temporaries"
  rm -rf out/*
done 2> /dev/null
echo clean
