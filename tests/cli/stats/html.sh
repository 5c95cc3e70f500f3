# The page: whole or absent, nothing of a record reaches it but escaped, no script and no network.
exec 2>&1
cp $DATA/images.tfrecord p
python3 - <<'P'
from records import bytes_list, example, float_list, frame, int64_list
evil = b'<script>alert(1)</script>&"\''
open('e', 'wb').write(b''.join(frame(example({'<b>': int64_list([k]), 'text': bytes_list([evil]), 'f': float_list([k / 3, float('nan')])})) for k in range(50)))
P
tfr stats --html page.html p e; echo "status $?"
grep -c '<script' page.html; grep -o '<article' page.html | wc -l; grep -c 'http' page.html; grep -o "default-src 'none'" page.html; grep -o '&lt;b&gt;' page.html | sort | uniq -c
grep -o 'src="data:image/[a-z]*\|href="data:image/[a-z]*' page.html | sort | uniq -c
grep -o '<title>.*</title>' page.html; python3 -c '
import html.parser
class P(html.parser.HTMLParser):
    depth, open_ = 0, []
    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "img", "rect", "image", "fecolormatrix"): self.open_.append(tag)
    def handle_startendtag(self, tag, attrs): pass
    def handle_endtag(self, tag):
        assert self.open_.pop() == tag, tag
p = P(); p.feed(open("page.html").read()); print("balanced", p.open_)'
tfr stats --html page.html p; echo "status $?"; tfr stats -f --html page.html p; echo "status $?"
tfr stats --json p > p.json; tfr stats --merge --html merged.html p.json; echo "status $?"; grep -c 'data:image' merged.html
tfr stats --html nosuch/page.html p; echo "status $?"; tfr stats -f p; echo "status $?"; ls
