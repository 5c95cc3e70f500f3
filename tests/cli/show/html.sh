# The page is well formed and draws what is there; whatever a record holds stays text.
python3 "$TOOLS/page.py" make odd
tfr show -q --html page.html odd && python3 "$TOOLS/page.py" page.html
cp "$DATA"/{sequence.tfrecord,kinds.tfevents,tensors.snapshot,payloads.tfrecord,images.tfrecord} .
tfr show -q --html kinds.html -n 2 --skip 1 sequence.tfrecord kinds.tfevents && python3 "$TOOLS/page.py" kinds.html
for f in kinds.tfevents tensors.snapshot payloads.tfrecord images.tfrecord; do
  tfr show -q --html - $f > other.html && python3 "$TOOLS/page.py" other.html | grep -E '^(tags|attribute|closed|left|a tag)'
done
grep -cE '<script|https?:|onload=[^x]|</style>.*</style>' page.html kinds.html
