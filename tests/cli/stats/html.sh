# The page: whole or absent, nothing of a record reaches it but escaped, no script and no network.
exec 2>&1
cp "$DATA"/images.tfrecord p
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
# Whole numbers have no gaps, many magnitudes a logarithmic axis; many features do not make a page of more than 2 MB.
python3 - <<'P'
from records import example, float_list, frame, int64_list
open('h', 'wb').write(b''.join(frame(example({'class': int64_list([k % 10]), 'size': int64_list([2 ** (k % 30)]), 'f': float_list([k / 100])})) for k in range(300)))
open('many', 'wb').write(frame(example({'f%05d' % k: int64_list([1, 2, 3]) for k in range(9000)})))
P
tfr stats -q -f --html page.html h; grep -o '<h[123]>[^<]*' page.html
grep -o '<text[^>]*>[^<]*' page.html | sed 's/.*>//' | tr '\n' ' '; echo
python3 -c 'import re; print([len(re.findall("M", d)) for d in re.findall("class=\"bars\" d=\"([^\"]*)", open("page.html").read())])'
grep -c 'logarithmic axis' page.html
tfr stats -q -f --html page.html many; grep -o '<h2>.*</h2>' page.html | sed 's/[0-9]\{2,\}/N/'; test $(stat -c %s page.html) -lt 2000000 && echo small
