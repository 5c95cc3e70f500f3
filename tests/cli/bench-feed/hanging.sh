# Nothing comes through this pipe, and it still ends of the signal: there is nothing to report.
mkfifo pipe
timeout --preserve-status -s TERM 1 tfr bench-feed --device host pipe > out
echo "status $?, $(wc -c < out) bytes"
