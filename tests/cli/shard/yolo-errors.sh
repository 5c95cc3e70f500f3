# What is wrong with labels of YOLO is named: a malformed line skips its image, a class without a name ends the command.
if tfr version | grep -q 'no libyaml'; then echo 'built without libyaml'; exit 77; fi
exec 2>&1
mkdir -p y/images y/labels; for k in a b c; do cp "$DATA/pairs/images/gray8.jpg" y/images/$k.jpg; echo '0 .5 .5 .5 .5' > y/labels/$k.txt; done
yaml() { printf '%b' "$1" > y/data.yaml; }
run() { tfr shard "$@" --no-shuffle -f -o s.tfrecord 2>&1 | sed 's/\(bad 0\), .*/\1/'; }
yaml 'names: [one, two]\n'
label() { printf '%b' "$1" > y/labels/b.txt; run y | grep -a "b.jpg\|b.txt\|warning\|class" || echo taken; }
echo --- lines
label ''; label '\n \r\n\t\n'; label '0 0.5 0.5 0.5'; label '0'; label '0 0.5 0.5 0.5 0.5 0.9'; label 'x 0.5 0.5 0.5 0.5'; label '-1 0.5 0.5 0.5 0.5'
label '0.5 0.5 0.5 0.5 0.5'; label '1.0 0.5 0.5 0.5 0.5'; label '0 nan 0.5 0.5 0.5'; label '0 0.5 inf 0.5 0.5'; label '0 0.5 0.5 1e999 0.5'; label '0 0.5 0.5 0x1 0.5'
label '0 10 20 30 40'; label '0 -0.2 0.5 0.5 0.5'; label '0 0,5 0,5 0,5 0,5'; label '0 0.5 0.5 0 0.5'; label '0 0.9 0.5 0.5 0.5'; label '0 1.0000001 0.5 0.5 0.5'
label '0 0.1 0.1 0.2 0.2 0.3 0.3 0.4'; label 'one 0.5 0.5 0.5 0.5'; label '\x000 0.5'; label '\xff\xfe0\x00 \x00'; label '0 0.5 0.5 0.5 0.5\n0 bad'
label "0$(printf ' 0.5%.0s' $(seq 5000))"; label "0 0.$(printf '1%.0s' $(seq 500)) 0.5 0.5 0.5"
echo --- classes
label '2 0.5 0.5 0.5 0.5'; label '4294967296 0.5 0.5 0.5 0.5'; echo '0 .5 .5 .5 .5' > y/labels/b.txt
echo --- data.yaml
names() { yaml "$1"; run y | head -2; }
names 'nc: 1\n'; tfr show -q --json s.tfrecord --limit 1 | grep -o '"image/object/class/text[^]]*'
names 'names: []'; names 'nc: x'; names 'nc: 2000000000'; names 'names: cat'; names 'names: {0: a, 0: b}'; names 'names: {a: b}'; names 'names: [[a]]'; names 'names: [a, ""]'; names 'names: {0: {a: b}}'
names 'names:\n\t- a\n'; names '[a, b]'; names 'text'; names ''; names '{'; names '"\\xff"'; names 'a: &x [1]\nb: [*x, *x]\nnames: [a]\n'; names 'names: [a]\nnames: [b]\n'
names "$(printf '[%.0s' $(seq 2000))"; names "names: $(printf '{a: %.0s' $(seq 40))"; names '? [a]\n: b\nnames: [a]\n'; names '\xff\xfen\x00'; names 'names: !!python/object [a]\n'
names 'names: [person]\nkpt_shape: [2, 3]\n'; printf '0 .5 .5 .5 .5 .1 .1 2 .2 .2 0\n' > y/labels/a.txt; run y | grep -v 'read'; names 'names: [person]\nkpt_shape: [2, 4]\n'; names 'names: [person]\nkpt_shape: 17\n'
echo --- no names, no labels
rm y/data.yaml; run y; printf '\xef\xbb\xbf0:only\n' > y/classes.txt; run y; tfr show -q s.tfrecord -n 1 | grep text; printf '9223372036854775807:only\n' > y/classes.txt; run y; run y --labels y/classes.txt --label-base 1; rm y/classes.txt; echo '0 .5 .5 .5 .5' > y/labels/a.txt; printf 'only\n' > y/classes.txt; run y; touch y/labels/lost.txt y/labels/README.txt; run y; rm y/labels/[bc].txt y/labels/lost.txt; run y
mkdir -p none/images none/labels; cp y/images/a.jpg none/images; run --from yolo none; run --from yolo gone; run --from yolo y/classes.txt
echo --- options
run y --stratify-classes; run y --draw-masks; run y --resize 8; run y --include a; run y --tfds x; run y --class-list x
echo "--- two images, one text; a folder that is no image"
cp y/images/a.jpg y/images/a.png; mkdir y/images/d.jpg; ln -s nowhere y/images/z.jpg; cp y/classes.txt y/images/notes.txt; run y
