# JSON lines: kinds by all lines, arrays, objects within, base64, and what cannot be a feature.
cat > a.jsonl <<'END'
{"a": 1, "b": [1, 2.5], "c": {"d": "x", "e": {"f": true}}, "n": null, "z": []}

{"a": -9223372036854775808, "b": [], "c": {"d": {"base64": "AAECgA=="}}, "s": "NaN"}
{"a": 9223372036854775807, "b": ["inf", -1e38], "c": {"d": ["p", "q"]}, "s": "snow \u2603"}
END
tfr shard a.jsonl -o a.tfrecord 2> err; echo "status $?"; sed 's/in [0-9.]* s/in N s/' err
tfr show -q --json --bytes base64 a.tfrecord
echo "and back"
tfr show -q --json --bytes base64 a.tfrecord | tfr shard -q --from jsonl - -o b.tfrecord
cmp a.tfrecord b.tfrecord
cat > bad.jsonl <<'END'
{"a": 1}
{"a": 1
{"a": 1} x
[1]
{"a": "text"}
{"a": 1.5}
{"a": {"bytes": 5, "type": "jpeg"}}
{"a": [[1]]}
{"a": [1, null]}
{"a": 18446744073709551615}
{"a": NaN}
END
printf '{"a": "\xff"}\n{"a": ' >> bad.jsonl
echo "bad rows"
tfr shard --max-skipped 100 --types a=int bad.jsonl -o bad.tfrecord 2> err; echo "status $?"; sed 's/in [0-9.]* s/in N s/' err
tfr show -q --json bad.tfrecord
tfr shard bad.jsonl --types a=int --on-error fail -o fail.tfrecord 2>&1; echo "status $?"
tfr shard --max-skipped 100 -q bad.jsonl --types a=int --on-error quarantine=q.tsv -o q.tfrecord; cut -f1 q.tsv
echo "two kinds"
printf '{"a": 1}\n{"a": "x"}\n' | tee two.jsonl | tfr shard --from jsonl - -o two.tfrecord 2> err; echo "status $?"; sed 's/in [0-9.]* s/in N s/' err
tfr shard two.jsonl -o three.tfrecord 2>&1; echo "status $?"
tfr shard -q two.jsonl --types a=bytes -o four.tfrecord && tfr show -q --json four.tfrecord

echo "blank lines, after rows with one column"
printf '{"a": 1}\n \n\t\n{"a": 2}\n\t' > blank.jsonl; tfr shard blank.jsonl -o blank.tfrecord 2>&1 | sed 's/in [0-9.]* s/in N s/'
echo "zeros before a number"
printf '{"a": -00000000000000000000006194741327996562086}\n{"a": 1}\n' > zeros.jsonl; tfr shard -q zeros.jsonl -o zeros.tfrecord && tfr show -q --json zeros.tfrecord
