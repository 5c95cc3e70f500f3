# One page that needs nothing else, with images of what reached the device.
tfr bench-feed --device host --batch 4 --size 16 --augment resize,normalise --shuffle-buffer 0 --cycle-length 1 --epochs 3 --compute-ms 1 --html page.html -q "$DATA/images.tfrecord" > out; echo "status $?"
python3 - <<'P'
import base64, html.parser, re, struct, zlib
text = open('page.html', encoding='utf-8').read()
class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.tags = [], {}
    def handle_starttag(self, tag, attrs):
        self.tags[tag] = self.tags.get(tag, 0) + 1
        if tag not in ('meta', 'img', 'br', 'line'):
            self.open.append(tag)
    def handle_startendtag(self, tag, attrs):
        self.tags[tag] = self.tags.get(tag, 0) + 1
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
page = Page()
page.feed(text)
print('balanced:', page.open == [], 'scripts:', page.tags.get('script', 0), 'links out:', len(re.findall(r'(?:src|href)="(?!data:)', text)))
print('images:', page.tags['img'], 'rows:', page.tags['tr'])
print([h for h in re.findall('<h2>(.*?)</h2>', text)])
png = base64.b64decode(re.search(r'image/png;base64,([^"]*)', text)[1])
print('of', struct.unpack('>II', png[16:24]))
P
tfr bench-feed --device host -q --steps 1 --html page.html "$DATA/images.tfrecord" > out 2> err; echo "status $?: $(cat out)$(cat err)"
# What does not end well is still told; what is interrupted is whole.
timeout --foreground -s INT --preserve-status 2 tfr bench-feed -q --device host --epochs 1000000 --seconds 60 --html late.html --trace late.json "$DATA/images.tfrecord" > out
echo "status $?: $(tail -n 1 late.html) $(python3 -c 'import json; print(bool(json.load(open("late.json"))["traceEvents"]))')"
ls -A | grep -v '^out$\|^err$'
