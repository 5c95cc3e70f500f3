# A link that takes an hour for a batch: the report, the name of the upload, and the end.
timeout -s KILL 100 tfr bench-feed -q --stall-timeout 1 --device sim:1000,0 --batch 4 --shuffle-buffer 0 "$DATA/images.tfrecord" \
  > out 2> err; echo "status $?"
cat err
grep -o '^bottleneck: unknown, no batch was delivered; until then upload' out
echo '-- and a GPU whose driver does not answer'
driver=$(dirname "$(readlink -f "$(command -v tfr)")")/../tests/driver
[ -e "$driver/libcuda.so.1" ] || { echo 'no fake driver beside this tfr'; exit 77; }
for more in "" --ladder; do
  TFR_FAKE_CUDA=bandwidth=1000 LD_LIBRARY_PATH=$driver timeout -s KILL 100 tfr bench-feed -q --stall-timeout 1 --device cuda:0 --batch 4 \
    --shuffle-buffer 0 $more "$DATA/images.tfrecord" > out 2> err; echo "status $?"
  cat err
done
