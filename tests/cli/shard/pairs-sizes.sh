# Sizes are known beforehand, of pairs those of both files, and digests made where they are asked for.
exec 2>&1
cp -r "$DATA/pairs/images" "$DATA/pairs/masks" .
rm images/{gray16-large,lossy,rgb,size}.jpg masks/{gray16-large,lossy,rgb,size}.png
tfr shard --no-shuffle -q --dry-run images --mask masks -o a@2
tfr shard --no-shuffle -q --sha256 images --mask masks -o a@2
digest() { tfr show --json --limit 9 "$@" | grep -o '"image/filename": \["[^"]*\|"image/key/sha256": \["[^"]*' | grep -o '[^"]*$' | paste -d ' ' - -; }
digest 'a@2' | while read -r name sum; do echo "$sum  images/$name"; done | sha256sum -c --quiet && echo digests
cat > a.json <<'END'
{"images": [{"id": 1, "file_name": "gray8.jpg", "width": 21, "height": 13}, {"id": 2, "file_name": "gone.jpg", "width": 21, "height": 13},
            {"id": 3, "file_name": "trns.jpg", "width": 21, "height": 13}],
 "annotations": [], "categories": []}
END
tfr shard --no-shuffle -q --dry-run --annotations a.json images -o b@2
tfr shard --no-shuffle -q --sha256 --annotations a.json images -o b@2
digest 'b@2' | while read -r name sum; do echo "$sum  images/$name"; done | sha256sum -c --quiet && echo digests
stat -c '%s %n' images/gray8.jpg images/trns.jpg
tfr shard --no-shuffle images --mask masks -o c@2 --resize 8; echo "status $?"
tfr shard --no-shuffle images --annotations a.json -o c@2 --include '*.jpg'; echo "status $?"
