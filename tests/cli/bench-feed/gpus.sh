# GPUs of the fake driver: the reports on them and on those that fail.
driver=$(dirname "$(readlink -f "$(command -v tfr)")")/../tests/driver
[ -e "$driver/libcuda.so.1" ] || { echo 'no fake driver beside this tfr'; exit 77; }
tfr version | grep -qF 'cuda (driver)' || { echo 'not built with CUDA'; exit 77; }
export LD_LIBRARY_PATH=$driver
feed() {   # SETUP [OPTION]...
  local setup=$1
  shift
  TFR_FAKE_CUDA=leaks,$setup tfr bench-feed --batch 4 --size 16 --shuffle-buffer 0 "$@" "$DATA/images.tfrecord" > report 2> err
  echo "status $?: $(grep -o '^tfr bench-feed: .*' err)"
  grep '^fake CUDA' err
  # Up to the line of the stages, folded lines made one, and whether all came back as it was sent.
  sed -n '/^stages/q; p' report | tr -s '\n ' ' '
  tr -s '\n ' ' ' < report | grep -o 'every batch was copied back and compared: no difference'
  echo
}

feed devices=1 --device cuda:0
feed devices=1
feed devices=0
CUDA_VISIBLE_DEVICES= feed devices=1
CUDA_VISIBLE_DEVICES=1,GPU-fa feed devices=2 --device cuda:all
feed mig,nopci --device cuda
feed devices=2 --device cuda:all --normalise-on device --verify-transfers --pageable
echo '-- memory that is not there'
feed fails=cuMemHostAlloc,error=2 --device cuda
feed fails=cuMemAlloc_v2,error=2 --device cuda
echo '-- the third upload cannot be started; the report is of what came before'
feed fails=cuMemcpyHtoDAsync_v2,after=2 --device cuda
feed fails=cuMemcpyHtoDAsync_v2,after=2,once --device cuda
echo '-- a device that is lost, with a copy in progress'
feed fails=copy,after=2,error=214,lost --device cuda | sed 's/: cu[A-Za-z]* on/: CALL on/'
echo '-- the second of two fails'
feed devices=2,fails=cuLaunchKernel,on=1 --device cuda:0,1 --normalise-on device
echo '-- one that is not there'
feed devices=2 --device cuda:2
echo '-- kernels that the driver refuses: only uploads'
feed nojit --device cuda --normalise-on device
feed nojit --device cuda --compute-ms 1
feed nojit --device cuda
