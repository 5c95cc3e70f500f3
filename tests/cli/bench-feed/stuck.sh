# A driver that never returns from a call of the main thread: the report of what came before, a message, status 3.
driver=$(dirname "$(readlink -f "$(command -v tfr)")")/../tests/driver
[ -e "$driver/libcuda.so.1" ] || { echo 'no fake driver beside this tfr'; exit 77; }
tfr version | grep -qF 'cuda (driver)' || { echo 'not built with CUDA'; exit 77; }
export LD_LIBRARY_PATH=$driver
feed() {   # NAME SETUP [OPTION]...: a hang of the process is killed
  local name=$1 setup=$2
  shift 2
  TFR_FAKE_CUDA=$setup timeout -s KILL 100 tfr bench-feed -q --stall-timeout 1 --batch 2 --size 16 --shuffle-buffer 0 \
    "$@" "$DATA/images.tfrecord" > out-$name 2> err-$name
  echo "$name: status $?, $(grep -cE '^(rate|  "records_per_second")' out-$name) report" > status-$name
}
cases=(opening pinning step steps launch gallery links closing closed lost long json)
feed opening  hang=cuInit                            --device cuda:0 --html opening.html &
feed pinning  hang=cuMemHostAlloc                    --device cuda:0 &
feed step     hang=kernel,after=1                    --device cuda:0 --compute-ms 1 &
feed steps    devices=2,hang=kernel,after=2,on=1     --device cuda:0,1 --compute-ms 1 &
feed launch   hang=cuLaunchKernel,after=1            --device cuda:0 --compute-ms 1 &
feed gallery  hang=cuMemcpyDtoHAsync_v2              --device cuda:0 --html gallery.html &
feed links    hang=cuMemAlloc_v2,after=3             --device cuda:0 --prefetch 3 &
feed closing  hang=cuModuleUnload                    --device cuda:0 &
feed closed   hang=cuStreamDestroy_v2                --device cuda:0 &
feed lost     fails=copy,error=700,hang=cuMemFree_v2 --device cuda:0 &
feed json     hang=kernel,after=2                    --device cuda:0 --compute-ms 1 --json &
# A step that is longer than the timeout is not taken for a hang.
feed long     devices=1                              --device cuda:0 --compute-ms 2500 --steps 2 &
wait
for name in "${cases[@]}"; do cat status-$name; sed "s/: cu[A-Za-z]* on/: CALL on/" err-$name; done
ls *.html
