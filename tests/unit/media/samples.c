/* Samples of sounds as numbers: every coding beside a plain twin and beside libsndfile, every type
 * beside arithmetic in doubles. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/audio.h>

#include "base/rng.h"
#include "support/temp.h"

/* The plain twin: a number at a time, from its bytes. */
static float plain(const uint8_t *p, enum tfr_audio_coding coding, unsigned bits)
{
	uint64_t whole = 0;
	int64_t number;
	double wide;
	float narrow;

	for (unsigned i = 0; i < bits / 8; i++)
		whole |= (uint64_t)p[i] << 8 * i;
	if (coding == TFR_AUDIO_FLOAT && bits == 32) {
		uint32_t half = (uint32_t)whole;

		memcpy(&narrow, &half, sizeof(narrow));
		return narrow;
	}
	if (coding == TFR_AUDIO_FLOAT) {
		memcpy(&wide, &whole, sizeof(wide));
		return (float)wide;
	}
	number = (int64_t)whole;
	if (bits == 8)
		number -= 128;
	else if (number >> (bits - 1))
		number -= (int64_t)1 << bits;
	/* Of 32 bits the number is rounded to a float first, which a power of two does not change.
	 */
	return (float)ldexp((double)(float)number, 1 - (int)bits);
}

static const struct kind {
	enum tfr_audio_coding coding;
	unsigned bits;
} kinds[] = {
	{ TFR_AUDIO_PCM, 8 },
	{ TFR_AUDIO_PCM, 16 },
	{ TFR_AUDIO_PCM, 24 },
	{ TFR_AUDIO_PCM, 32 },
	{ TFR_AUDIO_FLOAT, 32 },
	{ TFR_AUDIO_FLOAT, 64 },
};

static void put(uint8_t *p, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		p[i] = (uint8_t)(value >> 8 * i);
}

enum { HEADER = 44, SAMPLES = 301, CHANNELS_MOST = 5 };

/* A file of random samples, but floats that are numbers. */
static size_t make(uint8_t *wav, const struct kind *k, unsigned channels, struct tfr_rng *rng)
{
	unsigned width = k->bits / 8, values = SAMPLES * channels;

	memcpy(wav, "RIFF....WAVEfmt ....", 20);
	put(wav + 4, HEADER - 8 + values * width, 4);
	put(wav + 16, 16, 4);
	put(wav + 20, k->coding, 2);
	put(wav + 22, channels, 2);
	put(wav + 24, 16000, 4);
	put(wav + 28, 16000ull * channels * width, 4);
	put(wav + 32, channels * width, 2);
	put(wav + 34, k->bits, 2);
	memcpy(wav + 36, "data", 4);
	put(wav + 40, values * width, 4);
	for (unsigned i = 0; i < values; i++) {
		uint64_t random = tfr_rng_u64(rng);

		if (k->coding == TFR_AUDIO_FLOAT) {
			double wide = (double)(int64_t)random * 0x1p-62;
			float narrow = (float)wide;
			uint32_t bits;

			memcpy(&bits, &narrow, sizeof(bits));
			memcpy(&random, &wide, sizeof(wide));
			random = k->bits == 32 ? bits : random;
		}
		put(wav + HEADER + i * width, random, width);
	}
	return HEADER + values * width;
}

/* All of a file, by libsndfile. */
static enum tfr_status decode(const uint8_t *wav, size_t size, const struct tfr_audio_info *info,
	float *out, struct tfr_error *err)
{
	struct tfr_audio_stream *s;
	struct tfr_audio_info found;
	enum tfr_status status = tfr_audio_open(&s, wav, size, &found, err);

	if (status)
		return status;
	cr_assert(found.samples == info->samples && found.channels == info->channels &&
		  found.sample_rate == info->sample_rate);
	status = tfr_audio_read(s, 0, info->samples, out, err);
	tfr_audio_close(s);
	return status;
}

static void compare(const uint8_t *wav, size_t size, const struct kind *k, unsigned channels)
{
	static float got[SAMPLES * CHANNELS_MOST + 1], whole[SAMPLES * CHANNELS_MOST];
	struct tfr_audio_info info;
	struct tfr_error err;
	enum tfr_status status;

	cr_assert_eq(tfr_audio_probe(wav, size, &info, &err), TFR_OK, "%s", err.message);
	status = decode(wav, size, &info, whole, &err);
	for (uint64_t first = 0; first <= SAMPLES; first += 43)
		for (uint64_t count = 0; count <= SAMPLES - first; count += 29) {
			uint64_t values = count * channels;

			got[values] = 7;
			tfr_audio_samples(wav, &info, first, count, got);
			cr_assert_eq(got[values], 7, "one too many was written");
			for (uint64_t i = 0; i < values; i++) {
				uint64_t at = first * channels + i;
				float twin = plain(
					wav + HEADER + at * (k->bits / 8), k->coding, k->bits);

				cr_assert(!memcmp(&got[i], &twin, sizeof(twin)),
					"%u bits, value %llu: %a, not %a", k->bits,
					(unsigned long long)at, (double)got[i], (double)twin);
				cr_assert(status || !memcmp(&got[i], &whole[at], sizeof(float)),
					"%u bits, value %llu: libsndfile has %a", k->bits,
					(unsigned long long)at, (double)whole[at]);
			}
		}
	cr_assert(status == TFR_OK || status == TFR_EUNAVAILABLE, "%s", err.message);
}

Test(samples, every_window_of_every_coding_is_its_twins_and_libsndfiles)
{
	static uint8_t wav[HEADER + SAMPLES * CHANNELS_MOST * 8 + 1];
	struct tfr_rng rng;

	tfr_rng_init(&rng, 11, 0);
	/* An odd address: nothing in a record is aligned. */
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
		for (unsigned channels = 1; channels <= CHANNELS_MOST; channels++)
			compare(wav + 1, make(wav + 1, &kinds[k], channels, &rng), &kinds[k],
				channels);
}

/* ---- types ---- */

static uint16_t plain_int16(float value)
{
	double scaled = rint((double)value * 32768);

	if (isnan(value))
		return 0;
	return (uint16_t)(int16_t)fmax(fmin(scaled, 32767), -32768);
}

/* The nearer of the two neighbours, the even one where both are as near. */
static uint16_t plain_bfloat16(float value)
{
	uint32_t bits, lower, upper;
	float down, up;
	double to_down, to_up;

	memcpy(&bits, &value, sizeof(bits));
	if (isnan(value))
		return (uint16_t)(bits >> 16 | 0x40);
	lower = bits & 0xffff0000;
	upper = lower + 0x10000;
	memcpy(&down, &lower, sizeof(down));
	memcpy(&up, &upper, sizeof(up));
	to_down = fabs((double)value - (double)down);
	/* Beyond the largest number lies what would be the next one. */
	to_up = fabs((isinf(up) && !isinf(value) ? copysign(0x1p128, (double)value) : (double)up) -
		     (double)value);
	if (to_down == to_up)
		return (uint16_t)((lower >> 16 & 1 ? upper : lower) >> 16);
	return (uint16_t)((to_down < to_up || isinf(value) ? lower : upper) >> 16);
}

Test(samples, other_types_are_rounded_as_they_say)
{
	static const float special[] = { 0, -0.0F, 1, -1, 0.99999F, 2, -2, 1e30F, -1e30F, INFINITY,
		-INFINITY, NAN, 0x1p-16F, 0x3p-16F, -0x1p-16F, 0x1.fffep-1F, 0x1p-140F, 0x1.018p0F,
		0x1.028p0F, 0x1.fffffep127F };
	enum { N = 100000, SPECIAL = sizeof(special) / sizeof(*special) };
	static float in[N];
	static uint16_t whole[N + 1], brain[N + 1];
	struct tfr_rng rng;

	tfr_rng_init(&rng, 3, 0);
	memcpy(in, special, sizeof(special));
	for (unsigned i = SPECIAL; i < N; i++) {
		uint32_t bits = tfr_rng_u32(&rng);

		if (i % 2) /* any bits at all, and what sounds have */
			memcpy(&in[i], &bits, sizeof(bits));
		else
			in[i] = (float)(int32_t)bits * 0x1.1p-31F;
	}
	whole[N] = brain[N] = 77;
	tfr_audio_convert(in, N, TFR_INT16, whole);
	tfr_audio_convert(in, N, TFR_BFLOAT16, brain);
	cr_assert(whole[N] == 77 && brain[N] == 77, "one too many was written");
	for (unsigned i = 0; i < N; i++) {
		cr_assert_eq(whole[i], plain_int16(in[i]), "%a: %d", (double)in[i], whole[i]);
		cr_assert_eq(brain[i], plain_bfloat16(in[i]), "%a: %x, not %x", (double)in[i],
			brain[i], plain_bfloat16(in[i]));
	}
}

Test(samples, sixteen_bits_come_back_as_they_were)
{
	static uint8_t bytes[65536 * 2];
	static float floats[65536];
	static int16_t back[65536];
	struct tfr_audio_info info = {
		.coding = TFR_AUDIO_PCM, .channels = 1, .bits = 16, .samples = 65536
	};

	for (unsigned i = 0; i < 65536; i++)
		put(bytes + 2 * i, i, 2);
	tfr_audio_samples(bytes, &info, 0, 65536, floats);
	tfr_audio_convert(floats, 65536, TFR_INT16, back);
	cr_assert(!memcmp(back, bytes, sizeof(bytes)));
	cr_assert_eq(floats[0x8000], -1.0F);
}

/* ---- what libsndfile reads ---- */

static size_t golden(const char *name, uint8_t *to, size_t most)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/audio/other/%s", getenv("TFR_TEST_DATA"), name);
	return temp_read(path, to, most);
}

/* G.711's A-law, from its bits: sign, three of an exponent, four of a fraction. */
static float plain_alaw(uint8_t byte)
{
	int bits = byte ^ 0x55, exponent = bits >> 4 & 7, value = (bits & 15) << 4 | 8;

	if (exponent)
		value = (value | 0x100) << (exponent - 1);
	return (float)(bits & 0x80 ? value : -value) * 0x1p-15F;
}

Test(samples, a_stream_reads_what_the_probe_refuses)
{
	uint8_t wav[4096];
	size_t size = golden("alaw.wav", wav, sizeof(wav));
	struct tfr_audio_stream *s;
	struct tfr_audio_info info;
	struct tfr_error err = { 0 };
	enum tfr_status status = tfr_audio_open(&s, wav, size, &info, &err);
	const uint8_t *data;
	float out[4096];

	if (status == TFR_EUNAVAILABLE)
		cr_skip_test("no libsndfile here");
	cr_assert_eq(status, TFR_OK, "%s", err.message);
	data = memmem(wav, size, "data", 4);
	cr_assert(data && info.coding == TFR_AUDIO_OTHER && info.samples <= 4096);
	data += 8;
	for (uint64_t first = 0; first < info.samples; first += 7) {
		uint64_t count = info.samples - first;

		cr_assert_eq(tfr_audio_read(s, first, count, out, &err), TFR_OK, "%s", err.message);
		for (uint64_t i = 0; i < count * info.channels; i++)
			cr_assert_eq(out[i], plain_alaw(data[first * info.channels + i]));
	}
	cr_assert_eq(tfr_audio_read(s, info.samples, 1, out, &err), TFR_EDATA);
	tfr_audio_close(s);
}

Test(samples, a_stream_is_opened_of_wav_files_only)
{
	struct tfr_audio_stream *s;
	struct tfr_audio_info info;
	struct tfr_error err = { 0 };
	enum tfr_status status = tfr_audio_open(&s, "fLaC....WAVE....", 16, &info, &err);

	cr_assert(status == TFR_EFORMAT || status == TFR_EUNAVAILABLE);
	status = tfr_audio_open(&s, "RIFF....WAVE....", 16, &info, &err);
	cr_assert(status == TFR_EDATA || status == TFR_EUNAVAILABLE, "%s", err.message);
	cr_assert_null(s);
	tfr_audio_close(s);
}
