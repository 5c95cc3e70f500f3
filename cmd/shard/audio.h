/* cmd/shard/audio.h - the options of tfr shard that say what becomes of sounds. */
#ifndef TFR_CMD_SHARD_AUDIO_H
#define TFR_CMD_SHARD_AUDIO_H

#include "common/cmd.h"

struct sound_settings {
	const char *audio;
	double frame; /* -1: not given */
};

#define SOUNDS_DEFAULT                                                                             \
	{                                                                                          \
		.frame = -1                                                                        \
	}
#define OPT_SOUNDS(settings, f)                                                                    \
	OPT(STRING, 0, "audio", "KIND", "bytes|floats",                                            \
		"what becomes of WAV files: bytes, audio/encoded, or floats, audio/waveform, "     \
		"decoded [bytes]",                                                                 \
		settings, f.audio),                                                                \
		OPT(REAL, 0, "frame", "SECONDS", NULL,                                             \
			"cut the floats of a sound into frames of SECONDS: SequenceExamples",      \
			settings, f.frame)

/* Puts them into `o`.  On failure the error is printed and the status returned; 0 is success. */
int sounds_parse(struct cmd *c, const struct sound_settings *s, struct tfr_convert_opts *o);

#endif
