# One Ctrl-C ends a step of --compute-ms, or an upload, that would take an hour.
driver=$(dirname "$(readlink -f "$(command -v tfr)")")/../tests/driver
[ -e "$driver/libcuda.so.1" ] || { echo 'no fake driver beside this tfr'; exit 77; }
tfr version | grep -qF 'cuda (driver)' || { echo 'not built with CUDA'; exit 77; }
interrupted() {   # [OPTION]...: a signal once the program has begun to feed; a hang is killed
  local feed
  tfr bench-feed -q --batch 4 --size 16 --shuffle-buffer 0 --stall-timeout 0 --trace trace -f "$@" "$DATA/images.tfrecord" > out 2> err &
  feed=$!
  for _ in {1..600}; do [ "$(ls /proc/$feed/task | wc -l)" -gt 3 ] && break; sleep 0.1; done
  sleep 1
  kill -TERM "$feed"
  for _ in {1..600}; do grep -q '^State:.[^Z]' /proc/$feed/status 2> /dev/null || break; sleep 0.1; done
  kill -KILL "$feed" 2> /dev/null
  wait "$feed"
  echo "status $?: $(grep -c '^bottleneck' out) report, $(wc -l < err) lines of errors"
}
interrupted --device host --compute-ms 3000000
interrupted --device sim:10G,0,2 --compute-ms 3000000
interrupted --device sim:100,0
export LD_LIBRARY_PATH=$driver
interrupted --device cuda:0 --compute-ms 3000000
TFR_FAKE_CUDA=bandwidth=100 interrupted --device cuda:0
TFR_FAKE_CUDA=hang=kernel interrupted --device cuda:0 --compute-ms 1
