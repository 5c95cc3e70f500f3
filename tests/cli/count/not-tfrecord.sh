# Named for what it is by its first bytes, status 1.
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n' > lfs
printf '<!DOCTYPE html>\n<html><head><title>404</title></head></html>\n' > html
tar cf tar lfs
python3 -c 'import zipfile; zipfile.ZipFile("zip", "w").writestr("a", "some text in a zip file, and more of it")'
printf '\x28\xb5\x2f\xfd\x04\x58\x51\x00\x00hello zstd, how are you\x00\x00' > zstd
printf 'BZh91AY&SY some bytes that could be a bzip2 file' > bzip2
cp "$DATA/images/jpeg/420.jpg" jpeg
cp "$DATA/images/png/rgb.png" png
head -c 4096 /dev/zero > zeros
printf 'once upon a time there was a plain text file\n' > text
for f in lfs html tar zip zstd bzip2 jpeg png zeros text; do
  tfr count $f 2> err; echo "$f: status $?: $(head -n 1 err)"
done
