# GPUs, as the stand-in for the CUDA runtime makes them: what is told of them, and of those that fail.
stand_in=$(dirname "$(readlink -f "$(command -v tfr)")")/../tests/tfr-stand-in
[ -x "$stand_in" ] || { echo 'no tfr-stand-in beside this tfr'; exit 77; }
feed() {   # SETUP [OPTION]...
  local setup=$1
  shift
  TFR_STAND_IN=$setup "$stand_in" bench-feed --batch 4 --size 16 --shuffle-buffer 0 "$@" "$DATA/images.tfrecord" \
    > report 2> err
  echo "status $?: $(grep -o '^tfr bench-feed: .*' err)"
  # Up to the line of the stages, folded lines made one, and whether all came back as it was sent.
  sed -n '/^stages/q; p' report | tr -s '\n ' ' '
  grep -o 'every batch was copied back.*' report
  echo
}

feed devices=1 --device cuda:0
feed devices=1
feed devices=0
feed devices=2 --device cuda:all --normalise-on device --verify-transfers --pageable
echo '-- memory that is not there'
feed devices=1,fails=cudaHostAlloc,error=2 --device cuda
feed devices=1,fails=cudaMalloc,error=2 --device cuda
echo '-- the third upload cannot be started; the report is of what came before'
feed devices=1,fails=cudaMemcpyAsync,after=2 --device cuda
echo '-- a device that is lost, with a copy under way'
feed devices=1,fails=copy,after=2,error=214,lost --device cuda | sed 's/: cuda[A-Za-z]* on/: CALL on/'
echo '-- the second of two fails'
feed devices=2,fails=cudaLaunchKernel,on=1 --device cuda:0,1 --normalise-on device
echo '-- one that is not there'
feed devices=2 --device cuda:2
