# Wrong usage and targets that are there: status 2, nothing touched.
say() { echo "status $?: $(cat err)"; }
in=$DATA/members.tfrecord
tfr shuffle "$in" 2> err; say
tfr shuffle "$in" -o out -m 7M 2> err; say
echo old > out
tfr shuffle "$in" -o out 2> err; say
cat out
tfr shuffle -q "$in" -f -o out && tfr count out
tfr shuffle "$in" -o new --on-error quarantine= 2> err; say
tfr shuffle "$in" -o new --tmpdir nosuch -m 8M 2> err; say
tfr shuffle "$in" -o nosuch/new 2> err; say
tfr shuffle -q "$in" -o set@x 2> err; say; rm -f set@x
tfr shuffle --resume "$in" -o new 2> err; say
tfr shuffle --where 'a ==' "$in" -o new 2> err; say
tfr shuffle "$in" --limit 3 -o new 2> err; say
# Another run on the same target is refused.
mkfifo pipe
tfr shuffle -q - -o busy --allow-empty < pipe & exec 3> pipe
while [ ! -e .busy.lock ]; do sleep 0.01; done
tfr shuffle "$in" -o busy 2> err; say
exec 3>&-; wait
ls -A
