/* media/wav/wav_other.c - the codings of WAV that are not ours: the module audio decodes them
 * (libsndfile.c). */
#include <tfr-private/audio.h>

#include "base/module.h"
#include "media/wav/audio_module.h"

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
