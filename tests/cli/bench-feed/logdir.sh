# The run over time, as TensorBoard's files have it.
tfr bench-feed --device host --batch 4 --size 16 --epochs 100000 --seconds 1.5 --logdir logs/. -q "$DATA/images.tfrecord" > out 2> err; echo "status $?: $(cat out err)"
mkdir logs
tfr bench-feed --device host --batch 4 --size 16 --epochs 100000 --seconds 1.5 --logdir logs -q "$DATA/images.tfrecord" > out; echo "status $?"
ls logs | sed 's/[0-9]\{4,\}\.[^ ]*\.[0-9]*\.tfr$/TIME.HOST.PID.tfr/'
tfr check -q logs/*; echo "check $?"
tfr show logs/* > shown
grep -c file_version shown
grep -o '^  [a-z_]*/[a-z0-9_-]* *scalar' shown | sort -u
python3 - <<'P'
import re
steps = [int(n) for n in re.findall(r'event +step +(\d+)', open('shown').read())]
print('steps grow:', steps == sorted(steps) and steps[-1] > 0)
P
