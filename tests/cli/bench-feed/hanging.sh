# Nothing comes through this pipe, and it still ends of the signal: there is nothing to report.
[ -z "${SANITIZED-}" ] || { echo 'gcc 12 AddressSanitizer takes the unwinding of a cancelled thread for an overflow'; exit 77; }
mkfifo pipe
timeout --preserve-status -s TERM 1 tfr bench-feed --device host pipe > out
echo "status $?, $(wc -c < out) bytes"
