# ImageNet as its scripts lay it: synsets as folders or in a list, labels from 1, texts that people read.
exec 2>&1
mkdir -p train/n02 train/n01 val out
cp "$DATA/pairs/images/gray8.jpg" train/n01/n01_1.JPEG; cp "$DATA/pairs/images/gray16.jpg" train/n02/n02_1.JPEG
for k in 1 2 3; do cp "$DATA/pairs/images/palette$((k == 3 ? 4 : k)).jpg" val/ILSVRC2012_val_0000000$k.JPEG; done
printf '\xef\xbb\xbfn02\tcrane\r\nn00\tnothing\nn03  tench, Tinca tinca\n\nn01\tred fox, Vulpes vulpes\n' > metadata.txt
printf 'n02\nn01\nn01\n' > val.txt
printf 'n03\nn01\nn02\n' > synsets.txt
classes() { tfr show -q --json "$1" | grep -o '"image/\(class/[a-z]*\|filename\)": [^]]*]' | paste -d' ' - - - ${2--}; }
tfr shard -q --label-base 1 --synsets metadata.txt train -o out/train.tfrecord; classes out/train.tfrecord; cat out/train.file-tfrecord.labels.txt
tfr shard -q --label-base 1 --synsets metadata.txt --class-list val.txt val -o out/val.tfrecord; classes out/val.tfrecord
tfr check -q --example --decode out/val.tfrecord
echo "labels of all synsets"
mkdir all; tfr shard -q --label-base 1 --labels synsets.txt --synsets metadata.txt --class-list val.txt --shuffle --seed 4 val -o all/val.tfrecord; classes all/val.tfrecord; cat all/val.file-tfrecord.labels.txt
tfr shard -q --class-list val.txt val -o all/plain.tfrecord -f; classes all/plain.tfrecord ''
for j in 1 4; do tfr shard -q -f -j $j -m 1K --class-list val.txt --synsets metadata.txt val -o all/j$j.tfrecord; done; cmp all/j1.tfrecord all/j4.tfrecord
printf 'n02\r\nn01\r\nn01\r\n\r\n\n' > windows.txt; tfr shard -q --class-list windows.txt val -o all/windows.tfrecord -f; cmp all/windows.tfrecord all/plain.tfrecord
mkdir part; tfr shard -q --stratify-classes --class-list val.txt val -o part/a.tfrecord=0.5 -o part/b.tfrecord; tfr count --per-file part/a.tfrecord part/b.tfrecord
tfr shard --class-list val.txt --exclude '*1.JPEG' val -o x.tfrecord; echo "status $?"
echo --- refused
run() { tfr shard -q -f "$@" -o x.tfrecord; echo "status $?"; }
run --class-list val.txt train
run --class-list val.txt --labels synsets2.txt val
printf 'n01\n' > few; run --class-list few val; run --class-list val.txt --labels few val; run --synsets few val; run --synsets few train
printf 'n01\tfox\n' > one; run --synsets one train; run --synsets one val; run --synsets gone train; : > empty; run --synsets empty train
printf 'n01\ta\nn01\tb\n' > twice; run --synsets twice train; printf 'n01\n\nn02\n' > gap; run --class-list gap val; printf 'n01\ta\0b\n' > nul; run --synsets nul train
run --synsets metadata.txt "$DATA/audio"; run --class-list val.txt synsets.csv --from csv; tfr shard -q --synsets metadata.txt train --tfds t; echo "status $?"
