# A dry run prints what a run would write, to the byte, and leaves nothing; it fails where a run would.
exec 2>&1
mkdir in out; cp -r "$DATA/pairs/images" in/a; tfr shard -q in -o s@2.tfrecord
size() { if [ -d "$1" ]; then find "$1" -type f -printf '%s\n' | awk '{ n += $1 } END { print n }'; else stat -c %s "$1"; fi; }
for o in folder x.tar x.jsonl x.csv; do
  tfr export --dry-run s@2.tfrecord -o out/$o > plan; echo "status $?"; ls -A out | grep -v '^x\|^folder'
  [ ! -e out/$o ] || echo "$o exists"
  tfr export -q s@2.tfrecord -o out/$o
  [ "$(cut -f 3 plan)" = "$(size out/$o)" ] && [ "$(cut -f 1 plan)" = out/$o ] && cut -f 1,2 plan
done
tfr export -q --dry-run s@2.tfrecord -o out/x.csv; echo "status $?"
tfr export -q --dry-run s@2.tfrecord -o out/folder; echo "status $?"
tfr export -q --dry-run s@2.tfrecord -o gone/x.csv; echo "status $?"
tfr export -f --dry-run s@2.tfrecord -o out/folder | cut -f 2; ls out
printf 'a\nb\n' | tfr cat -q --from lines -o lines.tfrecord
tfr export --dry-run lines.tfrecord -o y.csv --columns a; echo "status $?"
tfr export --dry-run lines.tfrecord -o y.csv --columns a --on-error quarantine=q --allow-empty; echo "status $?"; ls
