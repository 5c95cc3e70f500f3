"""Writes files of one record that is legal and absurd, or forged, into the folder at hand."""
import records as r

f = r.field


def write(name, *payloads):
    with open(name, 'wb') as out:
        out.writelines(map(r.frame, payloads))


def feature(key, value):
    return f(1, r.entry(key, value))


write('features', f(1, b''.join(r.entry(b'f%05d' % i, r.int64_list([i])) for i in range(100_000))))
write('values', feature(b'v', f(3, f(1, bytes(i % 120 for i in range(10_000_000))))))
write('texts', feature(b'v', f(1, b'\x0a\x00' * 1_000_000)))
write('names', f(1, r.entry(b'\xff\xfe', r.int64_list([1])) + r.entry(b'\x1b[2J\x00\xc2\x9b', r.int64_list([2])) +
                 r.entry(b'</td><script>document.title = 1</script>', r.bytes_list([b'"><img src=x onerror=alert(1)>']))))
write('long', f(1, r.entry(b'n' * 1_000_000, r.int64_list([1])) + r.entry(b't', r.bytes_list([b'x' * 5_000_000]))))
for number, payload in enumerate((
        b'\x0a\xff\xff\xff\xff\x07',                     # a length past the record's end
        b'\x0a\xff\xff\xff\xff\x0f',                     # and past 2 GiB
        f(1, f(1, f(2, b'\x1a\x7f'))),                   # the same inside
        f(1, f(1, f(2, f(3, f(1, b'\xff' * 10 + b'\x01'))))),
        b'\x0b' * 200,                                   # groups in groups
        feature(b'v', f(2, f(1, b'\0' * 7))))):          # a float and three quarters
    write('forged%d' % number, payload)
for number, length in enumerate((2**31, 2**36, 2**63)):
    with open('claim%d' % number, 'wb') as out:
        out.write(r.header(length) + bytes(1000))
