# --dry-run prints what would be written, and writes nothing: neither outputs nor a quarantine.
printf 'a\nbb\nccc\n' | tfr cat -q --from lines -o bad; printf x | dd of=bad bs=1 seek=12 conv=notrunc 2> /dev/null
printf 'one\ntwo\nthree\n' | tfr cat -q --from lines -o in
for to in out 'set@2.tfrecord' -; do tfr cat --dry-run in -o "$to"; done
tfr cat in -o out -q; wc -c < out
tfr cat --dry-run --delimited in; tfr cat --delimited -q in | wc -c
tfr cat --dry-run --raw -n 2 in; tfr cat --raw -n 2 -q in | wc -c
tfr cat --dry-run --on-error quarantine=lost bad -o rest 2> /dev/null; echo "status $?"
tfr cat --dry-run --expect 4 in 2>&1; echo "status $?"
tfr cat --dry-run --follow in 2>&1; echo "status $?"
ls
