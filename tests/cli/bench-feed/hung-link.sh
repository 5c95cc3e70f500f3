# A link that takes an hour for a batch: the report, the name of the upload, and the end.
timeout -s KILL 100 tfr bench-feed -q --stall-timeout 1 --device sim:1000,0 --batch 4 --shuffle-buffer 0 "$DATA/images.tfrecord" \
  > out 2> err; echo "status $?"
cat err
grep -o '^bottleneck: unknown, no batch was delivered; until then upload' out
echo '-- and a GPU whose driver does not answer'
driver=$(dirname "$(readlink -f "$(command -v tfr)")")/../tests/driver
[ -e "$driver/libcuda.so.1" ] || { echo 'no fake driver beside this tfr'; exit 77; }
tfr version | grep -qF 'cuda (driver)' || { echo 'not built with CUDA'; exit 77; }
TFR_FAKE_CUDA=bandwidth=1000 LD_LIBRARY_PATH=$driver timeout -s KILL 100 tfr bench-feed -q --stall-timeout 1 --device cuda:0 --batch 4 \
  --shuffle-buffer 0 "$DATA/images.tfrecord" > out 2> err; echo "status $?"
# On a busy machine, closing may be what waits when the time is up.
sed -E "s/nothing moved for [0-9]+ s: (stage 'upload' waits for cuda:0|the driver of 'cuda:0' does not answer).*: C/nothing moved: C/" err
echo '-- work that never ends after some that did, and calls that never return: a report of what came before'
calls='copy kernel cuMemcpyHtoDAsync_v2 cuLaunchKernel cuEventRecord cuEventSynchronize'
for hang in $calls; do
  {
    TFR_FAKE_CUDA=hang=$hang,after=4 LD_LIBRARY_PATH=$driver timeout -s KILL 100 tfr bench-feed -q --stall-timeout 1 --device cuda:0 \
      --batch 2 --size 16 --shuffle-buffer 0 --normalise-on device "$DATA/images.tfrecord" > out-$hang 2> err-$hang
    echo "$hang: status $?" >> err-$hang
  } &
done
wait
for hang in $calls; do echo "$(grep -c ^rate out-$hang) report"; sed 's/cuda:0 to .*:/cuda:0 to WORK:/' err-$hang; done
