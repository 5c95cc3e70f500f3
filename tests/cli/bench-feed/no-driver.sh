# Without a driver, cuda reports that and auto takes the host.
if ldconfig -p 2> /dev/null | grep -q 'libcuda\.so\.1 '; then echo 'this machine has a driver'; exit 77; fi
tfr version | grep -qF 'cuda (driver)' || { echo 'not built with CUDA'; exit 77; }
feed() {
  tfr bench-feed --batch 4 --size 16 --shuffle-buffer 0 "$@" "$DATA/images.tfrecord" > report 2> err
  echo "status $?"
  cat err
  sed -n '/^stages/q; p' report | tr -s '\n ' ' '
  echo
}
feed --device cuda
feed --device cuda:all
feed --device auto
