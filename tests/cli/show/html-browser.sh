# A browser's reading of the page is ours: what it was to draw, and not one element that came with a record.
command -v chromium > /dev/null || { echo 'no chromium'; exit 77; }
python3 "$TOOLS/page.py" make odd && tfr show -q --html page.html odd
timeout 120 chromium --headless --no-sandbox --disable-gpu --user-data-dir=profile --dump-dom "file://$PWD/page.html" \
  2> err > dom || { tail -n 1 err; exit 77; }
for tag in article image img rect text h1 h3 tr script b; do
  echo "$tag $(grep -oE "<$tag[ >]" dom | wc -l)"
done
