/* media/wav/wav.c - reads the chunks of a WAV file, and checks its header against the file.
 *
 * A size counts only if the file has that many bytes.  Headers that TensorFlow's decode_wav refuses
 * (bytes per second and bytes per sample that contradict the other fields) are refused here, before
 * a training meets them. */
#include <string.h>

#include "base/error.h"
#include "base/module.h"
#include "media/formats/image_codec.h"
#include "media/wav/audio_module.h"

enum {
	RIFF = 12,   /* "RIFF", the size of what follows, "WAVE" */
	CHUNK = 8,   /* a name and a size */
	FORMAT = 16, /* bytes of "fmt " that every file has */
	FORMAT_EXTENSIBLE = 40,
	EXTENSIBLE = 0xfffe,
};

/* The last 14 bytes of a sub-format that contains a coding, after the coding's two bytes. */
static const uint8_t guid[14] = { 0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x80, 0x00, 0x00, 0xaa, 0x00,
	0x38, 0x9b, 0x71 };

struct chunk_walk {
	const uint8_t *data;
	size_t size;
	struct tfr_audio_info *info;
	struct tfr_error *err;
	unsigned block; /* bytes per sample; 0: no format yet */
};

bool tfr_audio_sniff(const void *data, size_t size)
{
	static const char *const names[] = { "RIFF", "RF64", "BW64", "RIFX" };
	const char *p = data;

	if (size < RIFF || memcmp(p + 8, "WAVE", 4))
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!memcmp(p, names[i], 4))
			return true;
	return false;
}

/* --- the format of a sample --- */

static const char *coding_name(unsigned tag)
{
	static const struct {
		unsigned tag;
		const char *name;
	} names[] = { { 2, "Microsoft ADPCM" }, { 6, "A-law" }, { 7, "mu-law" },
		{ 0x11, "IMA ADPCM" }, { 0x31, "GSM 6.10" }, { 0x50, "MPEG" }, { 0x55, "MP3" } };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].tag == tag)
			return names[i].name;
	return NULL;
}

/* The sub-format of an extensible format, in place of its tag. */
static enum tfr_status sub_format(
	struct chunk_walk *w, const uint8_t *p, size_t size, unsigned *tag)
{
	if (size < FORMAT_EXTENSIBLE || tfr_le16(p + 16) < 22)
		return tfr_fail(w->err, TFR_EDATA, "a WAV whose extensible format is cut short");
	if (memcmp(p + 26, guid, sizeof(guid)))
		return tfr_fail(w->err, TFR_EFORMAT, "a WAV of a sub-format that is no coding");
	if (tfr_le16(p + 18) > tfr_le16(p + 14))
		return tfr_fail(w->err, TFR_EDATA, "a WAV with %u valid bits in %u",
			tfr_le16(p + 18), tfr_le16(p + 14));
	*tag = tfr_le16(p + 24);
	return TFR_OK;
}

static enum tfr_status check_coding(struct chunk_walk *w, unsigned tag, unsigned bits)
{
	const char *name = coding_name(tag);

	if (tag == TFR_AUDIO_PCM && (bits == 8 || bits == 16 || bits == 24 || bits == 32))
		return TFR_OK;
	if (tag == TFR_AUDIO_FLOAT && (bits == 32 || bits == 64))
		return TFR_OK;
	if (tag == TFR_AUDIO_PCM || tag == TFR_AUDIO_FLOAT)
		return tfr_fail(w->err, TFR_EFORMAT, "a WAV of %s of %u bits",
			tag == TFR_AUDIO_PCM ? "PCM" : "floats", bits);
	if (name)
		return tfr_fail(
			w->err, TFR_EFORMAT, "a WAV of %s, which is neither PCM nor floats", name);
	return tfr_fail(w->err, TFR_EFORMAT,
		"a WAV of coding 0x%04x, which is neither PCM nor floats", tag);
}

static enum tfr_status take_format(struct chunk_walk *w, const uint8_t *p, size_t size)
{
	struct tfr_audio_info *i = w->info;
	unsigned tag, block;

	if (w->block)
		return tfr_fail(w->err, TFR_EDATA, "a WAV with two formats");
	if (size < FORMAT)
		return tfr_fail(w->err, TFR_EDATA, "a WAV whose format is cut short");
	tag = tfr_le16(p);
	i->channels = tfr_le16(p + 2);
	i->sample_rate = tfr_le32(p + 4);
	i->bits = tfr_le16(p + 14);
	block = i->channels * i->bits / 8;
	if (tag == EXTENSIBLE)
		TFR_TRY(sub_format(w, p, size, &tag));
	TFR_TRY(check_coding(w, tag, i->bits));
	i->coding = (enum tfr_audio_coding)tag;
	if (!i->channels)
		return tfr_fail(w->err, TFR_EDATA, "a WAV without channels");
	if (!i->sample_rate)
		return tfr_fail(w->err, TFR_EDATA, "a WAV of 0 samples a second");
	if (tfr_le16(p + 12) != block)
		return tfr_fail(w->err, TFR_EDATA,
			"a WAV that says %u bytes a sample, where %u channels of %u bits make %u",
			tfr_le16(p + 12), i->channels, i->bits, block);
	if (tfr_le32(p + 8) != (uint64_t)block * i->sample_rate)
		return tfr_fail(w->err, TFR_EDATA,
			"a WAV that says %u bytes a second, where its format makes %llu",
			tfr_le32(p + 8), (unsigned long long)block * i->sample_rate);
	w->block = block;
	return TFR_OK;
}

/* --- the samples --- */

static enum tfr_status cut_short(struct chunk_walk *w, uint32_t said, size_t there)
{
	w->info->truncated = true;
	if (said >= UINT32_MAX - 64)
		return tfr_fail(w->err, TFR_EDATA,
			"a WAV that does not say how long it is, as one that was written to a "
			"pipe");
	return tfr_fail(w->err, TFR_EDATA,
		"truncated WAV: %u bytes of samples in its header, %zu in the file", said, there);
}

static enum tfr_status take_samples(struct chunk_walk *w, size_t at, uint32_t said)
{
	if (!w->block)
		return tfr_fail(w->err, TFR_EDATA, "a WAV with samples before their format");
	if (said > w->size - at)
		return cut_short(w, said, w->size - at);
	if (said % w->block)
		return tfr_fail(w->err, TFR_EDATA,
			"a WAV with %u bytes of samples, no multiple of the %u of one", said,
			w->block);
	if (!said)
		return tfr_fail(w->err, TFR_EDATA, "a WAV without samples");
	w->info->samples = said / w->block;
	w->info->place = at;
	return TFR_OK;
}

/* Reads the chunks up to the samples.  Later chunks hold only metadata. */
static enum tfr_status walk_chunks(struct chunk_walk *w)
{
	size_t at = RIFF;

	while (!w->info->samples) {
		const uint8_t *p = w->data + at;
		uint32_t size;

		if (w->size - at < CHUNK) {
			w->info->truncated = true;
			return tfr_fail(w->err, TFR_EDATA, "truncated WAV: no %s",
				w->block ? "samples" : "format");
		}
		size = tfr_le32(p + 4);
		at += CHUNK;
		if (!memcmp(p, "data", 4)) {
			TFR_TRY(take_samples(w, at, size));
		} else if (size > w->size - at) {
			w->info->truncated = true;
			return tfr_fail(w->err, TFR_EDATA,
				"truncated WAV: a chunk of %u bytes where %zu are left", size,
				w->size - at);
		} else if (!memcmp(p, "fmt ", 4)) {
			TFR_TRY(take_format(w, p + CHUNK, size));
		}
		/* A chunk of odd size is followed by a padding byte, except perhaps at the end. */
		if (!w->info->samples)
			at += size + (size % 2 && size < w->size - at);
	}
	return TFR_OK;
}

/* Checks the size in the RIFF header: bytes outside it are ignored, bytes it claims beyond the file
 * are missing. */
static enum tfr_status check_riff(struct chunk_walk *w)
{
	uint32_t said = tfr_le32(w->data + 4);
	uint64_t end = w->info->place + w->info->samples * w->block;

	if ((uint64_t)said + CHUNK > w->size) {
		w->info->truncated = true;
		return tfr_fail(w->err, TFR_EDATA,
			"truncated WAV: %u bytes after the first 8, %zu in the file", said,
			w->size - CHUNK);
	}
	if ((uint64_t)said + CHUNK < end)
		return tfr_fail(w->err, TFR_EDATA,
			"the header of the WAV ends it at byte %llu, before the end of its samples "
			"at %llu",
			(unsigned long long)said + CHUNK, (unsigned long long)end);
	return TFR_OK;
}

static enum tfr_status check_kind(struct chunk_walk *w)
{
	if (!w->size)
		return tfr_fail(w->err, TFR_EFORMAT, "an empty file");
	if (w->size >= 4 && !memcmp(w->data, "fLaC", 4))
		return tfr_fail(w->err, TFR_EFORMAT, "a FLAC file, not a WAV file");
	if (!tfr_audio_sniff(w->data, w->size))
		return tfr_fail(w->err, TFR_EFORMAT, "not a WAV file");
	w->info->recognised = true;
	if (!memcmp(w->data, "RIFX", 4))
		return tfr_fail(w->err, TFR_EFORMAT, "a RIFX file, a WAV of big-endian numbers");
	if (memcmp(w->data, "RIFF", 4))
		return tfr_fail(w->err, TFR_EFORMAT,
			"%s file, which is what a WAV of over 4 GiB would be",
			memcmp(w->data, "RF64", 4) ? "a BW64" : "an RF64");
	return TFR_OK;
}

enum tfr_status tfr_audio_probe(
	const void *data, size_t size, struct tfr_audio_info *info, struct tfr_error *err)
{
	struct chunk_walk w = { data, size, info, err, 0 };

	*info = (struct tfr_audio_info){ 0 };
	TFR_TRY(check_kind(&w));
	TFR_TRY(walk_chunks(&w));
	return check_riff(&w);
}

/* --- the codings that are not ours: the module audio decodes them (libsndfile.c) --- */

enum tfr_status tfr_audio_open(struct tfr_audio_stream **out, const void *data, size_t size,
	struct tfr_audio_info *info, struct tfr_error *err)
{
	const void *calls;

	*out = NULL;
	*info = (struct tfr_audio_info){ 0 };
	/* libsndfile would read FLAC as well, but the feature must hold a WAV file. */
	if (!tfr_audio_sniff(data, size))
		return tfr_fail(err, TFR_EFORMAT, "not a WAV file");
	TFR_TRY(tfr_module_open(&calls, TFR_MODULE_AUDIO, err, "cannot decode it"));
	return ((const struct tfr_audio_module *)calls)->open(out, data, size, info, err);
}

enum tfr_status tfr_audio_read(struct tfr_audio_stream *s, uint64_t first, uint64_t count,
	float *out, struct tfr_error *err)
{
	return s->module->read(s, first, count, out, err);
}

void tfr_audio_close(struct tfr_audio_stream *s)
{
	if (s)
		s->module->close(s);
}
