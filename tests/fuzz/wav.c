/* tests/fuzz/wav.c - any bytes as a WAV file: what is taken lies in them, and is decoded or
 * refused.
 */
#include <stdlib.h>

#include <tfr/audio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tfr_audio_info info;
	struct tfr_error err = { 0 };
	enum tfr_status status = tfr_audio_probe(data, size, &info, &err);
	uint64_t values;
	float *out;

	if (status) {
		if ((status != TFR_EDATA && status != TFR_EFORMAT) || !err.message[0])
			abort();
		return 0;
	}
	values = info.samples * info.channels;
	if (!values || !info.sample_rate || info.place > size ||
		values * info.bits / 8 > size - info.place)
		abort();
	out = malloc(values * sizeof(*out));
	if (out)
		tfr_audio_decode(data, size, &info, out, &err);
	free(out);
	return 0;
}
