/* media/wav/libsndfile.c - the module audio: decodes the other codings of WAV to floats, by
 * libsndfile, which brings the codecs of FLAC, Vorbis, Opus and MP3 along.  It reads from memory,
 * through our functions. */
#include <sndfile.h>
#include <stdlib.h>
#include <string.h>

#include "base/module_export.h"
#include "media/wav/audio_module.h"

struct memory {
	const uint8_t *data;
	sf_count_t size, at;
};

/* --- callbacks of libsndfile --- */

static sf_count_t length(void *ctx)
{
	return ((struct memory *)ctx)->size;
}

static sf_count_t seek_to(sf_count_t offset, int whence, void *ctx)
{
	struct memory *m = ctx;
	sf_count_t from = whence == SEEK_CUR ? m->at : whence == SEEK_END ? m->size : 0;

	if (offset < -from || offset > m->size - from)
		return -1;
	return m->at = from + offset;
}

static sf_count_t give(void *to, sf_count_t bytes, void *ctx)
{
	struct memory *m = ctx;

	if (bytes > m->size - m->at)
		bytes = m->size - m->at;
	if (bytes > 0)
		memcpy(to, m->data + m->at, (size_t)bytes);
	m->at += bytes > 0 ? bytes : 0;
	return bytes;
}

static sf_count_t take(const void *from, sf_count_t bytes, void *ctx)
{
	(void)from, (void)bytes, (void)ctx;
	return 0;
}

static sf_count_t tell(void *ctx)
{
	return ((struct memory *)ctx)->at;
}

/* --- streams --- */

struct stream {
	struct tfr_audio_stream s;
	struct memory memory;
	SNDFILE *file;
	unsigned channels;
};

static enum tfr_status open_file(
	struct stream *s, const void *data, size_t size, SF_INFO *found, struct tfr_error *err)
{
	SF_VIRTUAL_IO io = { length, seek_to, give, take, tell };

	s->memory = (struct memory){ data, (sf_count_t)size, 0 };
	s->file = sf_open_virtual(&io, SFM_READ, found, &s->memory);
	if (!s->file)
		return tfr_fail(
			err, TFR_EDATA, "libsndfile does not read it: %s", sf_strerror(NULL));
	s->channels = (unsigned)found->channels;
	return TFR_OK;
}

static enum tfr_status describe_file(
	const SF_INFO *found, struct tfr_audio_info *info, struct tfr_error *err)
{
	if (found->frames <= 0 || found->frames > UINT32_MAX || found->channels <= 0 ||
		found->channels > UINT16_MAX || found->samplerate <= 0)
		return tfr_fail(err, TFR_EDATA,
			"a WAV that libsndfile finds %lld samples of %d channels in",
			(long long)found->frames, found->channels);
	*info = (struct tfr_audio_info){
		.coding = TFR_AUDIO_OTHER,
		.sample_rate = (uint32_t)found->samplerate,
		.channels = (unsigned)found->channels,
		.samples = (uint64_t)found->frames,
		.recognised = true,
	};
	return TFR_OK;
}

static void stream_close(struct tfr_audio_stream *stream)
{
	struct stream *s = (struct stream *)stream;

	if (s->file)
		sf_close(s->file);
	free(s);
}

static enum tfr_status stream_read(struct tfr_audio_stream *stream, uint64_t first, uint64_t count,
	float *out, struct tfr_error *err)
{
	struct stream *s = (struct stream *)stream;
	sf_count_t from = (sf_count_t)first, n = (sf_count_t)count;

	if (sf_seek(s->file, from, SEEK_SET) != from || sf_readf_float(s->file, out, n) != n)
		return tfr_fail(err, TFR_EDATA, "libsndfile reads fewer samples than it has found");
	return TFR_OK;
}

static enum tfr_status stream_open(struct tfr_audio_stream **out, const void *data, size_t size,
	struct tfr_audio_info *info, struct tfr_error *err);

static const struct tfr_audio_module calls = { stream_open, stream_read, stream_close };

static enum tfr_status stream_open(struct tfr_audio_stream **out, const void *data, size_t size,
	struct tfr_audio_info *info, struct tfr_error *err)
{
	struct stream *s = calloc(1, sizeof(*s));
	SF_INFO found = { 0 };
	enum tfr_status status;

	TFR_NEED_MEMORY(s, err, "opening a WAV file");
	s->s.module = &calls;
	status = open_file(s, data, size, &found, err);
	if (!status)
		status = describe_file(&found, info, err);
	if (status)
		stream_close(&s->s);
	else
		*out = &s->s;
	return status;
}

TFR_MODULE_EXPORT("audio", calls);
