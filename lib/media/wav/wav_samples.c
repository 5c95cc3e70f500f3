/* media/wav/wav_samples.c - converts samples of a WAV file in memory to numbers: no library, no
 * state, and only the needed samples.
 *
 * A compiler can vectorise every loop: no branches, and a scale that is a power of two, so a
 * product is exact if the number is.  Therefore these floats equal those of libsndfile and of
 * TensorFlow's decode_wav, to the bit. */
#include <assert.h>
#include <string.h>

#include <tfr-private/audio.h>
#include <tfr-private/pixels.h>

static void from_u8(const uint8_t *restrict p, size_t n, float *restrict out)
{
	for (size_t i = 0; i < n; i++)
		out[i] = (float)(p[i] - 128) * 0x1p-7F;
}

/* Numbers of a type that the processor has. */
#define FROM(name, type, scale)                                                                    \
	static void name(const uint8_t *restrict p, size_t n, float *restrict out)                 \
	{                                                                                          \
		for (size_t i = 0; i < n; i++) {                                                   \
			type value;                                                                \
                                                                                                   \
			memcpy(&value, p + sizeof(value) * i, sizeof(value));                      \
			out[i] = (float)value * (scale);                                           \
		}                                                                                  \
	}

FROM(from_s16, int16_t, 0x1p-15F)
FROM(from_s32, int32_t, 0x1p-31F)
FROM(from_f64, double, 1)

/* The three bytes are the upper ones of 32 bits. */
static void from_s24(const uint8_t *restrict p, size_t n, float *restrict out)
{
	for (size_t i = 0; i < n; i++, p += 3) {
		uint32_t bits = (uint32_t)p[0] << 8 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 24;

		out[i] = (float)(int32_t)bits * 0x1p-31F;
	}
}

void tfr_audio_samples(const void *data, const struct tfr_audio_info *info, uint64_t first,
	uint64_t count, float *out)
{
	size_t values = (size_t)count * info->channels, width = info->bits / 8;
	const uint8_t *p = (const uint8_t *)data + info->place + first * info->channels * width;

	assert(first <= info->samples && count <= info->samples - first);
	if (info->coding == TFR_AUDIO_FLOAT && info->bits == 32)
		memcpy(out, p, values * sizeof(*out));
	else if (info->coding == TFR_AUDIO_FLOAT)
		from_f64(p, values, out);
	else if (info->bits == 8)
		from_u8(p, values, out);
	else if (info->bits == 16)
		from_s16(p, values, out);
	else if (info->bits == 24)
		from_s24(p, values, out);
	else
		from_s32(p, values, out);
}

/* ---- other types ---- */

/* Adding 1.5 * 2^23 to so small a number rounds it to an integer, halves to even. */
static void to_int16(const float *restrict in, size_t n, int16_t *restrict out)
{
	const float round = 0x1.8p23F;

	for (size_t i = 0; i < n; i++) {
		float value = in[i] * 0x1p15F;

		value = value > -32768 ? value : -32768;
		value = value < 32767 ? value : 32767;
		value = in[i] == in[i] ? value : 0;
		out[i] = (int16_t)(int32_t)(value + round - round);
	}
}

static void to_bfloat16(const float *restrict in, size_t n, uint16_t *restrict out)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t bits, rounded;

		memcpy(&bits, &in[i], sizeof(bits));
		rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
		out[i] = (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? bits >> 16 | 0x40 : rounded);
	}
}

/* As many as a row of pixels may have. */
enum { AT_ONCE = 1 << 20 };

static void to_float16(const float *in, size_t n, uint16_t *out)
{
	for (size_t at = 0; at < n; at += AT_ONCE) {
		uint32_t some = n - at < AT_ONCE ? (uint32_t)(n - at) : AT_ONCE;
		struct tfr_pixels px =
			tfr_pixels_dense((void *)(uintptr_t)(in + at), some, 1, 1, TFR_FLOAT32);

		tfr_pixels_convert(&px, TFR_FLOAT16, TFR_HWC, out + at, 0, NULL);
	}
}

void tfr_audio_convert(const float *in, size_t n, enum tfr_dtype dtype, void *out)
{
	switch (dtype) {
	case TFR_INT16:
		to_int16(in, n, out);
		break;
	case TFR_BFLOAT16:
		to_bfloat16(in, n, out);
		break;
	case TFR_FLOAT16:
		to_float16(in, n, out);
		break;
	default:
		assert(dtype == TFR_FLOAT32);
		memcpy(out, in, n * sizeof(*in));
	}
}
