/* tests/fuzz/wav.c - any bytes as a WAV file: what is taken lies in them, and every
 * window of it is decoded as the whole is; what is refused may be of those that libsndfile reads.
 */
#include <stdlib.h>
#include <string.h>

#include <tfr-private/audio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FOREIGN_MOST = 1 << 16 };

/* Another coding: whatever its header says, no more is written than was asked for. */
static void read_foreign(const uint8_t *data, size_t size)
{
	struct tfr_audio_stream *stream;
	struct tfr_audio_info info;
	struct tfr_error err;
	uint64_t from, count;
	float *out;

	if (tfr_audio_open(&stream, data, size, &info, &err))
		return;
	from = info.samples / 3;
	count = info.samples - from;
	if (count * info.channels > FOREIGN_MOST)
		count = FOREIGN_MOST / info.channels;
	out = malloc((count * info.channels + 1) * sizeof(*out));
	if (out)
		tfr_audio_read(stream, from, count, out, &err);
	free(out);
	tfr_audio_close(stream);
}

static void check_window(const uint8_t *data, const struct tfr_audio_info *info, const float *whole)
{
	uint64_t from = info->samples / 3, count = (info->samples - from) / 2 + 1;
	size_t bytes = (size_t)count * info->channels * sizeof(float);
	float *out = malloc(bytes);

	if (!out)
		return;
	tfr_audio_samples(data, info, from, count, out);
	if (memcmp(out, whole + from * info->channels, bytes))
		abort();
	free(out);
}

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
		if (status == TFR_EFORMAT && info.recognised)
			read_foreign(data, size);
		return 0;
	}
	values = info.samples * info.channels;
	if (!values || !info.sample_rate || info.place > size ||
		values * info.bits / 8 > size - info.place)
		abort();
	out = malloc(values * sizeof(*out));
	if (out) {
		tfr_audio_samples(data, &info, 0, info.samples, out);
		check_window(data, &info, out);
	}
	free(out);
	return 0;
}
