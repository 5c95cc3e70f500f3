# Sets of other types have no findings of Examples.
exec 2>&1
cp "$DATA"/types/{elwc,events,tensors,odd} .
for f in elwc events tensors; do tfr doctor -q $f; echo "$f: status $?"; done
