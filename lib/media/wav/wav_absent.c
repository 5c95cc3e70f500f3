/* media/wav/wav_absent.c - replaces wav_decode.c in a build without libsndfile. */
#include <tfr-private/audio.h>

#include "base/error.h"

enum tfr_status tfr_audio_open(struct tfr_audio_stream **s, const void *data, size_t size,
	struct tfr_audio_info *info, struct tfr_error *err)
{
	(void)info, (void)data, (void)size;
	*s = NULL;
	tfr_fail(err, TFR_EUNAVAILABLE, "not built with libsndfile, which decodes it");
	return TFR_EUNAVAILABLE;
}

enum tfr_status tfr_audio_read(struct tfr_audio_stream *s, uint64_t first, uint64_t count,
	float *out, struct tfr_error *err)
{
	(void)s, (void)first, (void)count, (void)out;
	return tfr_fail(err, TFR_EUNAVAILABLE, "not built with libsndfile, which decodes it");
}

void tfr_audio_close(struct tfr_audio_stream *s)
{
	(void)s;
}
