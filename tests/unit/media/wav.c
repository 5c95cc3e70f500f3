/* WAV files: every kind as SciPy reads it, and every lie of a header. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/audio.h>

#include "base/buf.h"
#include "support/temp.h"

static struct tfr_buf golden(const char *name)
{
	struct tfr_buf text = { 0 };
	char path[4096];

	snprintf(path, sizeof(path), "%s/audio/%s", getenv("TFR_TEST_DATA"), name);
	cr_assert(tfr_buf_reserve(&text, 4096));
	text.size = temp_read(path, text.data, 4096);
	cr_assert(text.size, "%s", name);
	return text;
}

static const struct kind {
	const char *name;
	enum tfr_audio_coding coding;
	unsigned channels, bits;
	uint32_t rate;
	uint64_t samples;
} kinds[] = {
	{ "u8", TFR_AUDIO_PCM, 1, 8, 8000, 41 },
	{ "s16", TFR_AUDIO_PCM, 2, 16, 44100, 50 },
	{ "s24", TFR_AUDIO_PCM, 1, 24, 48000, 33 },
	{ "s32", TFR_AUDIO_PCM, 2, 32, 96000, 20 },
	{ "f32", TFR_AUDIO_FLOAT, 1, 32, 16000, 30 },
	{ "f64", TFR_AUDIO_FLOAT, 2, 64, 16000, 20 },
	{ "extensible", TFR_AUDIO_PCM, 6, 24, 48000, 10 },
};

Test(wav, every_kind_is_what_scipy_reads)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		const struct kind *k = &kinds[i];
		char name[64];
		struct tfr_buf wav, floats;
		struct tfr_audio_info info;
		struct tfr_error err = { 0 };
		float out[512];

		snprintf(name, sizeof(name), "%s.wav", k->name);
		wav = golden(name);
		snprintf(name, sizeof(name), "%s.f32", k->name);
		floats = golden(name);
		cr_assert_eq(tfr_audio_probe(wav.data, wav.size, &info, &err), TFR_OK, "%s: %s",
			k->name, err.message);
		cr_assert(info.coding == k->coding && info.channels == k->channels &&
				  info.bits == k->bits && info.sample_rate == k->rate &&
				  info.samples == k->samples,
			"%s", k->name);
		tfr_audio_samples(wav.data, &info, 0, info.samples, out);
		cr_assert_eq(floats.size, k->samples * k->channels * sizeof(float));
		cr_assert(!memcmp(out, floats.data, floats.size), "%s", k->name);
		tfr_buf_clear(&wav);
		tfr_buf_clear(&floats);
	}
}

static void expect(
	const void *data, size_t size, enum tfr_status status, bool truncated, const char *message)
{
	struct tfr_audio_info info;
	struct tfr_error err = { 0 };

	cr_assert_eq(tfr_audio_probe(data, size, &info, &err), status, "%s", message);
	cr_assert_str_eq(err.message, message);
	cr_assert_eq(info.truncated, truncated, "%s", message);
}

Test(wav, what_is_none_is_named)
{
	static const char *const others[][2] = {
		{ "other/rf64.wav", "an RF64 file, which is what a WAV of over 4 GiB would be" },
		{ "other/rifx.wav", "a RIFX file, a WAV of big-endian numbers" },
		{ "other/alaw.wav", "a WAV of A-law, which is neither PCM nor floats" },
		{ "u8.f32", "not a WAV file" },
	};

	expect("", 0, TFR_EFORMAT, false, "an empty file");
	expect("fLaC\0\0\0\x22", 8, TFR_EFORMAT, false, "a FLAC file, not a WAV file");
	expect("RIFF\0\0\0\0WEBPVP8 ", 16, TFR_EFORMAT, false, "not a WAV file");
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		struct tfr_buf wav = golden(others[i][0]);

		expect(wav.data, wav.size, TFR_EFORMAT, false, others[i][1]);
		tfr_buf_clear(&wav);
	}
}

/* One field of s16.wav, at its place in the canonical header of 44 bytes. */
Test(wav, a_header_that_lies_is_found_out)
{
	static const struct {
		size_t at, size;
		uint32_t value;
		bool truncated;
		enum tfr_status status;
		const char *message;
	} lies[] = {
		{ 4, 4, 237, true, TFR_EDATA,
			"truncated WAV: 237 bytes after the first 8, 236 in the file" },
		{ 4, 4, 235, false, TFR_EDATA,
			"the header of the WAV ends it at byte 243, before the end of its samples at 244" },
		{ 16, 4, 15, false, TFR_EDATA, "a WAV whose format is cut short" },
		{ 16, 4, 500, true, TFR_EDATA,
			"truncated WAV: a chunk of 500 bytes where 224 are left" },
		{ 20, 2, 0x11, false, TFR_EFORMAT,
			"a WAV of IMA ADPCM, which is neither PCM nor floats" },
		{ 20, 2, 0x9999, false, TFR_EFORMAT,
			"a WAV of coding 0x9999, which is neither PCM nor floats" },
		{ 20, 2, 3, false, TFR_EFORMAT, "a WAV of floats of 16 bits" },
		{ 20, 2, 0xfffe, false, TFR_EDATA, "a WAV whose extensible format is cut short" },
		{ 22, 2, 0, false, TFR_EDATA, "a WAV without channels" },
		{ 22, 2, 1, false, TFR_EDATA,
			"a WAV that says 4 bytes a sample, where 1 channels of 16 bits make 2" },
		{ 24, 4, 0, false, TFR_EDATA, "a WAV of 0 samples a second" },
		{ 28, 4, 1, false, TFR_EDATA,
			"a WAV that says 1 bytes a second, where its format makes 176400" },
		{ 32, 2, 3, false, TFR_EDATA,
			"a WAV that says 3 bytes a sample, where 2 channels of 16 bits make 4" },
		{ 34, 2, 12, false, TFR_EFORMAT, "a WAV of PCM of 12 bits" },
		{ 36, 4, 0x20746d66, false, TFR_EDATA, "a WAV with two formats" },
		{ 36, 4, 0x7478656e, true, TFR_EDATA, "truncated WAV: no samples" },
		{ 12, 4, 0x61746164, false, TFR_EDATA, "a WAV with samples before their format" },
		{ 40, 4, 201, true, TFR_EDATA,
			"truncated WAV: 201 bytes of samples in its header, 200 in the file" },
		{ 40, 4, UINT32_MAX, true, TFR_EDATA,
			"a WAV that does not say how long it is, as one that was written to a "
			"pipe" },
		{ 40, 4, 198, false, TFR_EDATA,
			"a WAV with 198 bytes of samples, no multiple of the 4 of one" },
		{ 40, 4, 0, false, TFR_EDATA, "a WAV without samples" },
	};

	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
		struct tfr_buf wav = golden("s16.wav");

		cr_assert_eq(wav.size, 244);
		memcpy(wav.data + lies[i].at, &lies[i].value, lies[i].size);
		expect(wav.data, wav.size, lies[i].status, lies[i].truncated, lies[i].message);
		tfr_buf_clear(&wav);
	}
}

Test(wav, every_cut_and_every_flip_is_found_or_harmless)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		char name[64];
		struct tfr_buf wav;
		struct tfr_audio_info info;
		struct tfr_error err;

		snprintf(name, sizeof(name), "%s.wav", kinds[i].name);
		wav = golden(name);
		for (size_t n = 0; n < wav.size; n++) {
			uint8_t *cut = malloc(n + 1);

			memcpy(cut, wav.data, n);
			cr_assert(tfr_audio_probe(cut, n, &info, &err) && err.message[0], "%s, %zu",
				name, n);
			free(cut);
		}
		for (size_t at = 0; at < wav.size * 8; at++) {
			float out[4096];

			wav.data[at / 8] ^= (uint8_t)(1 << at % 8);
			if (!tfr_audio_probe(wav.data, wav.size, &info, &err)) {
				cr_assert_leq(
					info.place + info.samples * info.channels * info.bits / 8,
					wav.size);
				cr_assert_leq(info.samples * info.channels, 4096);
				tfr_audio_samples(wav.data, &info, 0, info.samples, out);
			}
			wav.data[at / 8] ^= (uint8_t)(1 << at % 8);
		}
		tfr_buf_clear(&wav);
	}
}

Test(wav, a_file_of_another_name)
{
	uint8_t data[44] = "BW64....WAVE";
	struct tfr_audio_info info;
	struct tfr_error err;

	cr_assert_eq(tfr_audio_probe(data, sizeof(data), &info, &err), TFR_EFORMAT);
	cr_assert_str_eq(err.message, "a BW64 file, which is what a WAV of over 4 GiB would be");
}
