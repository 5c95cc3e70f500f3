# What is absurd is no fault; what is forged is one, and no claim is believed.
[ -n "${SANITIZED-}" ] || ulimit -v 1500000
python3 "$TOOLS/hostile.py"
tfr check -q --example features values texts names long; echo "status $?"
tfr check -q --example --strict features values texts long; echo "strict: status $?"
tfr check -q --example --strict names; echo "strict: status $?"
for f in forged? claim?; do
  tfr check -q --example $f; echo "status $?"
done
