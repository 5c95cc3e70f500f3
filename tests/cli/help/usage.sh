# -h of the program and of each command: on stdout, status 0, within 80 columns, and naming the command.
for c in '' $(tfr -h | sed -n '/^  [a-z]/s/^  \([a-z-]*\) .*/\1/p'); do
  tfr $c -h > h 2> err || echo "$c -h: status $?"
  tfr $c --help | cmp - h || echo "$c: -h and --help differ"
  [ ! -s err ] || cat err
  [ "$(head -n 1 h | cut -d ' ' -f 1-2)" = 'usage: tfr' ] || echo "$c: $(head -n 1 h)"
  awk -v c="$c" 'length > 80 { print c ": over 80 columns: " $0 }' h
done
tfr; echo "no command: status $?"
tfr nonsense -h; echo "unknown command: status $?"
