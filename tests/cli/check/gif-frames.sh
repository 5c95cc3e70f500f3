# --decode decodes all frames of a GIF. tests/interop compares these cases with TensorFlow.
if tfr version | grep -q 'no giflib'; then echo 'built without giflib'; exit 77; fi
python3 - <<'P'
import gifs, records
for name, (data, frames) in gifs.CASES.items():
    open(name, 'wb').write(records.frame(records.example({'image/encoded': records.bytes_list([data])})))
P
for name in $(python3 -c 'import gifs; print(*gifs.CASES)'); do printf '%s: ' "$name"; tfr check -q --decode --strict "$name" | sed 's/.*encoded: //' | grep . || echo intact; done
