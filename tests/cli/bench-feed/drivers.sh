# Drivers that are too old, broken or refuse: message, hint and status.
driver=$(dirname "$(readlink -f "$(command -v tfr)")")/../tests/driver
[ -e "$driver/libcuda.so.1" ] || { echo 'no fake driver beside this tfr'; exit 77; }
tfr version | grep -qF 'cuda (driver)' || { echo 'not built with CUDA'; exit 77; }
feed() {   # FOLDER SETUP [OPTION]...
  local folder=$driver$1 setup=$2
  shift 2
  LD_LIBRARY_PATH=$folder TFR_FAKE_CUDA=$setup tfr bench-feed -q --batch 4 --size 16 --shuffle-buffer 0 "$@" "$DATA/images.tfrecord" \
    > report 2> err
  echo "status $?"
  sed "s|$driver|DRIVER|g; s|[^ ']*/driver/|DRIVER/|" err
}

echo '-- names of 2015'
feed /older leaks --device cuda --normalise-on device
echo '-- a call is missing, no library; nor does auto hide that'
for device in cuda auto; do
  feed /partial '' --device $device
  feed /text '' --device $device
done
echo '-- the driver refuses'
for error in 2 3 34 35 36 46 304 802 803 804 999; do feed '' "fails=cuInit,error=$error" --device cuda; done
feed '' fails=cuInit,error=34 --device auto
echo '-- the device refuses'
for error in 2 46 100 214 999; do feed '' "fails=cuDevicePrimaryCtxRetain,error=$error" --device cuda; done
feed '' fails=cuDevicePrimaryCtxRetain,error=46 --device auto
echo '-- the kernels are refused'
for setup in badptx nojit disabledjit version=5050 fails=cuModuleLoadDataEx,error=209; do
  feed '' "$setup" --device cuda --normalise-on device
done
