# A header that verifies every 12 bytes, each of a record that ends 4 bytes before the end of the file: the payloads that
# are read to disprove them are limited, so the time grows with the size and not with its square.
PYTHONPATH=$DATA python3 -B - <<'EOF'
from records import frame, header
first = frame(b'alpha') + b'x' * 12
size = 600_000 * 12
open('plain', 'wb').write(first + b''.join(header(max(0, left - 16 - 4)) for left in range(size, 0, -12)))
EOF
gzip -1 -k plain
ulimit -t 60
tfr check -q -j 1 plain; echo "status $?"
tfr check -q -j 1 plain.gz; echo "gzip: status $?"
cat plain | tfr check -q -j 1 -; echo "pipe: status $?"
