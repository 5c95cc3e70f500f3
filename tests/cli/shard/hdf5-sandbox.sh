# HDF5 is read by a helper program in a sandbox: hostile files, a missing helper, a system without seccomp.
if tfr version | grep -q 'no libhdf5'; then echo 'built without libhdf5'; exit 77; fi
echo "mutants"
"$TOP/tests/faults/hdf5" --tfr tfr --seed 7 --count 40 2> /dev/null
echo "31 groups, each with two links to the next, which makes 2^31 paths; the last has a data set"
cp "$DATA/arrays/paths.h5" groups.h5
tfr shard groups.h5 -q -o groups.tfrecord; tfr show -q --limit 1 groups.tfrecord
echo "a forged number of rows"
python3 - <<'END'
import os
data = open(os.environ['DATA'] + '/arrays/mixed.h5', 'rb').read()
rows = data.find((3).to_bytes(8, 'little') * 2)     # of 'a': its rows and the most that it may have
assert rows > 0
open('forged.h5', 'wb').write(data[:rows] + (1 << 30).to_bytes(8, 'little') * 2 + data[rows + 16:])
END
tfr shard -q --shuffle --include a forged.h5 -o f.tfrecord 2>&1; echo "status $?"; rm forged.h5
echo "without a helper program"
mkdir -p place/bin; cp "$(readlink -f "$(command -v tfr)")" place/bin/tfr
place/bin/tfr shard -q groups.h5 -o y.tfrecord 2> err   # unless one is installed on this machine
grep -v -x "tfr shard: cannot read 'groups.h5': the program '/.*/tfr/tfr-read-hdf5' is missing\|hint: tfr reads HDF5 files by this program.*" err
rm -f y.tfrecord err
echo "with one beside it"
mkdir -p place/libexec/tfr; cp "$(dirname "$(readlink -f "$(command -v tfr)")")/../libexec/tfr/tfr-read-hdf5" place/libexec/tfr/
place/bin/tfr shard -q groups.h5 -o y.tfrecord && cmp y.tfrecord groups.tfrecord && echo "read"
echo "where the kernel refuses seccomp"
python3 "$TOOLS/no_seccomp.py" tfr shard groups.h5 -o z.tfrecord 2>&1; echo "status $?"
python3 "$TOOLS/no_seccomp.py" tfr shard -q --no-sandbox groups.h5 -o z.tfrecord; echo "status $?"; cmp z.tfrecord groups.tfrecord
echo "a file that another program is writing"
python3 - <<'END'
import fcntl, subprocess
with open('groups.h5') as file:
    fcntl.flock(file, fcntl.LOCK_EX)
    print(subprocess.run(['tfr', 'shard', '-q', '-f', 'groups.h5', '-o', 'w.tfrecord'], stderr=subprocess.STDOUT).returncode)
END
HDF5_USE_FILE_LOCKING=FALSE tfr shard -q groups.h5 -o w.tfrecord; echo "status $?"
ls
