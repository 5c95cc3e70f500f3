"""The table of what protobuf (upb) and TensorFlow's own parser read differently in an Example, a row each.

A row is a payload, what protobuf reads as feature `a`, what tf.io.parse_example reads there as a VarLenFeature of
int64, and what `tfr check --strict` says of it.  REFUSED: the record is refused; ABSENT: there is no such feature, or it
is unset.
"""
import collections
import struct

from records import bytes_list, entry, field as f, float_list, int64_list as ints

REFUSED, ABSENT = 'refused', None
Row = collections.namedtuple('Row', 'name payload protobuf parse_example reason')


def a(feature):
    return f(1, entry(b'a', feature))


ONE, TWO, SINGLE = f(1, b'\x01'), f(1, b'\x02\x03'), b'\x08\x05'    # packed 1, packed 2 and 3, unpacked 5
VARINT, GROUP = b'\x78\x05', b'\x7b\x08\x01\x7c'                    # field 15, which nobody knows
KEY, VALUE = f(1, b'a'), f(2, ints([1]))
BAD = 'not an Example'

ROWS = [Row(*row) for row in (
    ('packed', a(f(3, TWO)), [2, 3], [2, 3], ''),
    ('unpacked', a(f(3, SINGLE + b'\x08\x06')), [5, 6], [5, 6], ''),
    ('two packed chunks', a(f(3, ONE + TWO)), [1, 2, 3], [1], 'values after the first packed chunk: TensorFlow drops'),
    ('packed then unpacked', a(f(3, ONE + SINGLE)), [1, 5], [1], 'values after the first packed chunk: TensorFlow drops'),
    ('two lists in one feature', a(ints([1]) + ints([2])), [1, 2], [1], 'two lists in one feature: TensorFlow drops'),
    ('unpacked then packed', a(f(3, SINGLE + ONE)), [5, 1], REFUSED, 'values in several chunks: TensorFlow refuses'),
    ('two kinds, the last int64', a(float_list([1.5]) + ints([2])), [2], REFUSED, 'two kinds in one feature'),
    ('two kinds, the first int64', a(ints([2]) + float_list([1.5])), [1.5], [2], 'two kinds in one feature'),
    ('a name twice', f(1, entry(b'a', ints([1])) + entry(b'a', ints([2]))), [2], [2], 'the name occurs twice: protobuf'),
    ('concatenated, one name', a(ints([1])) + a(ints([2])), [2], [2], 'several Examples in one record'),
    ('concatenated, two names', a(ints([1])) + f(1, entry(b'b', ints([2]))), [1], [1], 'several Examples in one record'),
    ('a name twice, the last unset', f(1, entry(b'a', ints([1])) + entry(b'a', b'')), ABSENT, [],
     'the name occurs twice, last without a kind'),
    ('value before name', f(1, f(1, VALUE + KEY)), [1], [1], ''),
    ('no name', f(1, f(1, VALUE)), ABSENT, REFUSED, 'an entry without a name: TensorFlow refuses'),
    ('no value', f(1, f(1, KEY)), ABSENT, REFUSED, 'an entry without a value: TensorFlow refuses'),
    ('two names in an entry', f(1, f(1, f(1, b'b') + KEY + VALUE)), [1], REFUSED, 'an entry with two names'),
    ('two values in an entry', f(1, f(1, KEY + VALUE + VALUE)), [1, 1], REFUSED, 'an entry with two values'),
    ('unknown in an entry', f(1, f(1, KEY + VALUE + b'\x18\x01')), ABSENT, REFUSED, 'an entry with an unknown field'),
    ('unknown in the Example', a(ints([1])) + VARINT, [1], [1], 'an unknown field: protobuf keeps it'),
    ('a group in the Example', a(ints([1])) + GROUP, [1], REFUSED, 'an unknown group: TensorFlow refuses'),
    ('unknown among the features', f(1, VARINT + entry(b'a', ints([1]))), [1], REFUSED, 'an unknown field among the features'),
    ('unknown before the kind', a(VARINT + ints([1])), [1], REFUSED, 'an unknown field before the list'),
    ('unknown behind the kind', a(ints([1]) + VARINT), [1], [1], 'an unknown field after the list'),
    ('unknown before the values', a(f(3, VARINT + ONE)), [1], REFUSED, 'an unknown field before the values'),
    ('unknown behind the values', a(f(3, ONE + VARINT)), [1], [1], 'an unknown field after the values'),
    ('a name that is not UTF-8', f(1, entry(b'\xff', ints([2])) + entry(b'a', ints([1]))), REFUSED, [1],
     'the name is not UTF-8: protobuf and DALI refuse'),
    ('a long tag', b'\x8a\x00' + a(ints([1]))[1:], [1], [], 'TensorFlow reads a record without features'),
    ('a varint of 11 bytes', a(f(3, f(1, b'\xff' * 10 + b'\x01'))), REFUSED, REFUSED, BAD),
    ('a 00 behind', a(ints([1])) + b'\x00', REFUSED, REFUSED, BAD),
    ('an ff behind', a(ints([1])) + b'\xff', REFUSED, REFUSED, BAD),
    ('cut short', a(ints([1]))[:-1], REFUSED, REFUSED, BAD),
    ('an empty record', b'', ABSENT, [], ''),
    ('no features', f(1, b''), ABSENT, [], ''),
    ('an empty name, unset', f(1, entry(b'', b'')), ABSENT, [], 'no kind is set'),
    ('unset', a(b''), ABSENT, [], 'no kind is set'),
    ('an empty int64 list', a(ints([])), [], [], ''),
    ('an empty float list', a(float_list([])), [], REFUSED, ''),
    ('an empty bytes list', a(bytes_list([])), [], REFUSED, ''),
)]

# The one row that int64 cannot show: to be read as float.
CUT_FLOATS = Row('floats and bytes behind', a(f(2, f(1, struct.pack('<f', 1) + b'\0\0'))), REFUSED, [1.0], BAD)
