# --dry-run names the files that would be written, with status 0.
exec 2>&1
printf 'one\ntwo\n' | tfr cat -q --from lines -o a; tfr cat -q -z gzip a -o b.gz; cp a c; tfr index -q c
tfr index -q --dry-run a b.gz c; echo "status $?"; ls
tfr index -q --dry-run --no-gzi a b.gz; echo "status $?"
tfr index -q --dry-run -f c; tfr index -q --dry-run --json a c | grep -v offset
printf x >> a; tfr index -q --dry-run a; echo "status $?"
tfr index --dry-run --check a; echo "status $?"
