/* media/wav_decode.c - samples to floats, by libsndfile.
 *
 * libsndfile brings the codecs of FLAC, Vorbis, Opus and MP3 along, whose loading costs a process
 * some milliseconds at its start: that is why it is opened at first use and called through a table.
 * It reads from memory, through functions of ours. */
#include <dlfcn.h>
#include <sndfile.h>
#include <string.h>

#include <tfr/audio.h>

#include "base/error.h"

#define CALLS(X)                                                                                   \
	X(sf_open_virtual)                                                                         \
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

/* dlopen() counts: after the first time this is a look-up. */
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

/* --- what libsndfile asks for --- */

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

enum tfr_status tfr_audio_decode(const void *data, size_t size, const struct tfr_audio_info *info,
	float *out, struct tfr_error *err)
{
	SF_VIRTUAL_IO io = { length, seek_to, give, take, tell };
	struct memory memory = { data, (sf_count_t)size, 0 };
	sf_count_t samples = (sf_count_t)info->samples;
	SF_INFO found = { 0 };
	struct calls call = { 0 };
	enum tfr_status status = load_library(&call, err);
	SNDFILE *file;

	if (status)
		return status;
	file = call.sf_open_virtual(&io, SFM_READ, &found, &memory);
	if (!file)
		return tfr_fail(
			err, TFR_EDATA, "libsndfile does not read it: %s", call.sf_strerror(NULL));
	if (found.channels != (int)info->channels || found.samplerate != (int)info->sample_rate ||
		call.sf_readf_float(file, out, samples) != samples)
		status = tfr_fail(
			err, TFR_EDATA, "libsndfile reads another header or fewer samples");
	call.sf_close(file);
	return status;
}
