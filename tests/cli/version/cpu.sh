# TFR_CPU limits the inner loops: the same output at every level, and an unknown level is an error.
for level in plain sse4.2 avx2 avx512; do
	export TFR_CPU=$level
	tfr show --json "$DATA/wire.tfrecord" > $level.json
	tfr shard -q --resize 7x5 "$DATA/images" -o $level.tfrecord
	tfr count --sum "$DATA/payloads.tfrecord"
done
for level in sse4.2 avx2 avx512; do
	cmp plain.json $level.json
	cmp plain.tfrecord $level.tfrecord
done
TFR_CPU=AVX2 tfr count "$DATA/payloads.tfrecord" 2>&1
echo "status $?"
