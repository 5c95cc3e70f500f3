# --schema reads a Schema of TensorFlow Metadata in protobuf's text form: it finds what the same schema in JSON finds.
exec 2>&1
python3 - <<'P'
from records import bytes_list, entry, example, field, float_list, frame, int64_list
def write(name, *rows):
    open(name, 'wb').write(b''.join(map(frame, rows)))
def sequence(context, **lists):
    return field(1, b''.join(entry(k.encode(), v) for k, v in context.items())) + field(2, b''.join(
        entry(k.encode(), b''.join(field(1, s) for s in v)) for k, v in lists.items()))
step = int64_list
good = {'label': int64_list([3]), 'box': float_list([.5] * 4), 'text': bytes_list([b'a', b'b']), 'none': int64_list([]), 'unset': b''}
write('good', example(good), example({**good, 'text': bytes_list([b'a'])}), example({k: good[k] for k in ('label', 'box', 'none')}))
write('bad', example({'box': good['box']}), example({**good, 'label': float_list([3])}), example({**good, 'label': int64_list([1, 2])}),
      example({**good, 'text': bytes_list([b'x'] * 4)}), example({**good, 'text': float_list([])}), example({**good, 'box': float_list([.5] * 3)}), b'')
names = ('', "a 'quoted' \\ name", '"', '\\n', 'new\nline', '\0' + '7', '\x7f', '\u2028', '\U0001f600', '# no comment', "'" * 3)
write('names', example({name: int64_list([1]) for name in names}))
write('unnamed', example({name: int64_list([1, 2]) for name in names}))
write('lists', sequence({'id': step([1])}, pos=[step([1, 2])] * 3, blank=[b'']), sequence({'id': step([1])}, pos=[step([1, 2]), b'', step([3, 4])], rare=[bytes_list([b'x'])]))
write('bad-lists', sequence({'id': step([1])}), sequence({}, pos=[step([1, 2])] * 2), sequence({'id': step([1])}, pos=[step([1]), float_list([1])], rare=[]), example({'id': step([1])}))
P
check() { tfr check -q --schema "$@"; echo "status $?"; }
noisy() { tfr check --schema "$@" 2>&1 | grep -v 'check: 1 file'; }   # warnings and faults
for pair in good:bad names:unnamed lists:bad-lists; do
  set=${pair%:*}; bad=${pair#*:}
  tfr schema -q --emit pbtxt $set > $set.pbtxt; tfr schema -q --json $set > $set.json
  echo "$pair:"; check $set.pbtxt $set; check $set.pbtxt $bad | tee found | head -n 20; check $set.json $bad | diff found - && echo "as with JSON"
done
echo "as people and TFDV write it:"
cat > s <<'T'
# proto-file: schema.proto
default_environment: ["TRAINING", 'SERVING']  # a list
feature: <
  type: INT; name: 'la' "be" # in pieces
    "l"
  presence { min_fraction: 1.0, min_count: 1 },
  shape { dim { size: 1 name: "one" } }
  annotation { tag: "x" extra_metadata { [type.googleapis.com/a.B] < a: -1.5e+3 b: inf > } }
>
feature { presence { min_fraction: 1 } shape { dim { size: 2 } dim { size: 2 } } name: "\142\x6F\x78" type: 3 value_counts { } }
feature{name:"text"type:BYTES value_count{min:1}domain:"words"}
feature { name: "old" type: INT presence { min_fraction: 1 min_count: 1 } lifecycle_stage: DEPRECATED int_domain { max: 9 } }
feature { name: "older" deprecated: true presence { min_fraction: 1 } }
feature { name: "none" type: INT shape { } in_environment: "SERVING" }
string_domain { name: "words" value: "a" value: "\"}" }
sparse_feature { name: "s" index_feature { name: "i" } }
T
noisy s good; check s bad
echo "what is not checked:"
for text in 'presence { min_count: 1 }' 'presence { min_fraction: 1 min_count: 1 }' 'presence { min_fraction: 1 min_count: 2 }' 'presence { min_fraction: 0.5 }' 'presence { min_fraction: 0 min_count: 0 }' \
  'int_domain { min: 0 } drift_comparator { } int_domain { max: 9 }' 'presence { min_fractoin: 1 }' 'lifecycle_stage: PRODUCTION group_presence { required: true }' 'unknown: 1 x_unknown { unknown: 2 }'; do
  echo "feature { name: 'label' type: INT $text }" > w; printf '%s: ' "$text"; noisy w good || echo; done
echo "counts:"
for text in 'value_count { }' 'value_count { min: 1 }' 'value_count { max: 3 }' 'value_count { min: 5 max: 7 }' 'value_count { min: 2 }' 'shape { dim { size: 4 } dim { size: 1 } }' 'shape { dim { size: 3 } dim { size: 2 } }' 'shape { }' 'value_counts { value_count { max: 3 } }' ''; do
  echo "feature { name: 'box' type: FLOAT $text }" > w; printf '%s: ' "$text"; tfr check -q --schema w good && echo good; done
echo "wrong:"
for text in 'feature {' 'feature { name: "a' 'feature { name: "a" }' 'feature { type: INT }' 'feature { name: "a" type: STRUCT struct_domain { feature { name: "b" type: INT } } }' \
  'feature { name: "##SEQUENCE##" type: STRUCT struct_domain { feature { name: "b" type: STRUCT struct_domain { feature { name: "b" type: INT } } } } }' \
  'feature { name: "a" type: INT } feature { name: "a" type: INT }' 'feature { name: "a" name: "b" type: INT }' 'feature { name: "a" type: INT32 }' 'feature { name: "a" type: "INT" }' 'feature { name: a type: INT }' \
  'feature { name: "a" type: INT value_count { min: 1 max: 99999999999999999999 } }' 'feature { name: "a" type: INT value_count { min: 0x10 } }' 'feature { name: "a" type: INT value_count { min: 3 max: 1 } }' \
  'feature { name: "a" type: INT value_count { min: -1 } }' 'feature { name: "a" type: INT shape { dim { } } }' 'feature { name: "a" type: INT shape { dim { size: 99999999999 } dim { size: 99999999999 } } }' 'feature { name: "a" type: INT shape { } value_count { } }' \
  'feature { name: "a" type: INT value_counts { value_count { } value_count { } } }' 'feature { name: "a" type: INT presence: 1 }' 'feature { name: "a" type: INT presence { min_fraction: x } }' 'feature [{ name: "a" type: INT }]' 'feature { name: "\q" type: INT }' \
  'feature { name: "\u0061" type: INT }' 'feature { name: "\x" type: INT }' 'feature { name: "\777" type: INT }' 'feature { } }' 'feature { name: "a" type: INT } 7' 'feature: 7' 'feature { name: "a" type: INT unknown: [1, {' \
  'feature { name: "a" type: INT unknown: }' 'feature { name: "a" type: INT } [x'; do
  printf '#\n%s' "$text" > w; check w good; done
printf 'feature { name: "a" type: INT }\0 feature { name: "b" type: INT }' > w; check w good
printf 'feature { name: "a\0b" type: INT }' > w; check w good
echo "large:"
{ printf 'feature { name: "label" type: INT unknown '; head -c 1000000 /dev/zero | tr '\0' '{'; } > w; check w good
{ printf 'feature { name: "label" type: INT unknown '; head -c 1000000 /dev/zero | tr '\0' '<'; head -c 1000000 /dev/zero | tr '\0' '>'; echo '}'; } > w; noisy w bad
{ for i in $(seq 3000); do echo "field_$i: $i"; done; } > w; noisy w good | tail -c 50; echo
head -c 1500000 /dev/zero | sed 's/\x0/feature { name: "\\/g' | head -c 4000000 > w; check w good
