/* media/wav/audio_module.h - the calls of the module audio. */
#ifndef TFR_MEDIA_WAV_AUDIO_MODULE_H
#define TFR_MEDIA_WAV_AUDIO_MODULE_H

#include <tfr-private/audio.h>

/* As tfr_audio_open(), tfr_audio_read() and tfr_audio_close(). */
struct tfr_audio_module {
	enum tfr_status (*open)(struct tfr_audio_stream **out, const void *data, size_t size,
		struct tfr_audio_info *info, struct tfr_error *err);
	enum tfr_status (*read)(struct tfr_audio_stream *s, uint64_t first, uint64_t count,
		float *out, struct tfr_error *err);
	void (*close)(struct tfr_audio_stream *s);
};

/* The first member of the module's own struct. */
struct tfr_audio_stream {
	const struct tfr_audio_module *module;
};

#endif
