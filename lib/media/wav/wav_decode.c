/* media/wav/wav_decode.c - decodes the other codings of WAV to floats, by libsndfile.
 *
 * libsndfile brings the codecs of FLAC, Vorbis, Opus and MP3 along, whose loading costs some
 * milliseconds.  So it is opened at first use and called through a table.  It reads from memory,
 * through our functions. */
#include <dlfcn.h>
#include <sndfile.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/audio.h>

#include "base/error.h"

#define CALLS(X)                                                                                   \
	X(sf_open_virtual)                                                                         \
	X(sf_seek)                                                                                 \
	X(sf_readf_float)                                                                          \
	X(sf_strerror)                                                                             \
	X(sf_close)

struct calls {
#define MEMBER(name) __typeof__(&(name)) name;
	CALLS(MEMBER)
#undef MEMBER
};

struct memory {
	const uint8_t *data;
	sf_count_t size, at;
};

/* dlopen() counts references: after the first time this is a lookup. */
static enum tfr_status load_library(struct calls *c, struct tfr_error *err)
{
	void *library = dlopen("libsndfile.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!library) {
		tfr_fail(err, TFR_EUNAVAILABLE, "without libsndfile there is no decoding of WAV");
		tfr_error_hint(err, "%s.  Install libsndfile, version 1.", dlerror());
		return TFR_EUNAVAILABLE;
	}
#define FIND(name)                                                                                 \
	if (!(c->name = (__typeof__(c->name))(uintptr_t)dlsym(library, #name)))                    \
		return tfr_fail(err, TFR_EUNAVAILABLE, "this libsndfile has no " #name);
	CALLS(FIND)
#undef FIND
	return TFR_OK;
}

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

struct tfr_audio_stream {
	struct calls call;
	struct memory memory;
	SNDFILE *file;
	unsigned channels;
};

static enum tfr_status open_file(struct tfr_audio_stream *s, const void *data, size_t size,
	SF_INFO *found, struct tfr_error *err)
{
	SF_VIRTUAL_IO io = { length, seek_to, give, take, tell };
	enum tfr_status status = load_library(&s->call, err);

	if (status)
		return status;
	s->memory = (struct memory){ data, (sf_count_t)size, 0 };
	s->file = s->call.sf_open_virtual(&io, SFM_READ, found, &s->memory);
	if (!s->file)
		return tfr_fail(err, TFR_EDATA, "libsndfile does not read it: %s",
			s->call.sf_strerror(NULL));
	s->channels = (unsigned)found->channels;
	return TFR_OK;
}

static enum tfr_status describe(
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

enum tfr_status tfr_audio_open(struct tfr_audio_stream **out, const void *data, size_t size,
	struct tfr_audio_info *info, struct tfr_error *err)
{
	struct tfr_audio_stream *s;
	SF_INFO found = { 0 };
	enum tfr_status status;

	*out = NULL;
	*info = (struct tfr_audio_info){ 0 };
	/* libsndfile would read FLAC as well, but the feature must hold a WAV file. */
	if (!tfr_audio_sniff(data, size))
		return tfr_fail(err, TFR_EFORMAT, "not a WAV file");
	s = calloc(1, sizeof(*s));
	if (!s)
		return tfr_fail_nomem(err, "opening a WAV file");
	status = open_file(s, data, size, &found, err);
	if (!status)
		status = describe(&found, info, err);
	if (status)
		tfr_audio_close(s);
	else
		*out = s;
	return status;
}

enum tfr_status tfr_audio_read(struct tfr_audio_stream *s, uint64_t first, uint64_t count,
	float *out, struct tfr_error *err)
{
	sf_count_t from = (sf_count_t)first, n = (sf_count_t)count;

	if (s->call.sf_seek(s->file, from, SEEK_SET) != from ||
		s->call.sf_readf_float(s->file, out, n) != n)
		return tfr_fail(err, TFR_EDATA, "libsndfile reads fewer samples than it has found");
	return TFR_OK;
}

void tfr_audio_close(struct tfr_audio_stream *s)
{
	if (s && s->file)
		s->call.sf_close(s->file);
	free(s);
}
