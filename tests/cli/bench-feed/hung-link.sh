# A link that takes an hour for a batch: the report, the name of the upload, and the end.
timeout -s KILL 100 tfr bench-feed -q --stall-timeout 1 --device sim:1000,0 --batch 4 --shuffle-buffer 0 "$DATA/images.tfrecord" \
  > out 2> err; echo "status $?"
cat err
grep -o '^bottleneck: unknown, no batch was delivered; until then upload' out
echo '-- and a GPU whose driver does not answer'
stand_in=$(dirname "$(readlink -f "$(command -v tfr)")")/../tests/tfr-stand-in
[ -x "$stand_in" ] || { echo 'no tfr-stand-in beside this tfr'; exit 77; }
for more in "" --ladder; do
  TFR_STAND_IN=bandwidth=1000 timeout -s KILL 100 "$stand_in" bench-feed -q --stall-timeout 1 --device cuda:0 --batch 4 \
    --shuffle-buffer 0 $more "$DATA/images.tfrecord" > out 2> err; echo "status $?"
  cat err
done
