/* convert/audio_features.h - the features of a WAV file, for every kind of input. */
#ifndef TFR_CONVERT_AUDIO_FEATURES_H
#define TFR_CONVERT_AUDIO_FEATURES_H

#include "convert/input.h"

/* For tfr_item_read(): skips a large file that is not a WAV file after its first block. */
void tfr_audio_item_look(struct tfr_item *item);
/* Skips a file that is not a WAV file, or a broken one. */
void tfr_audio_item_judge(struct tfr_item *item);
/* Puts the features of the WAV file in item->file into the builder: audio/encoded, a reference
 * into item->file, and audio/format, or with opts->audio.kind audio/waveform; audio/sample_rate,
 * channels, samples, filename, and those of its class. */
enum tfr_status tfr_audio_item_add(struct tfr_input *in, struct tfr_item *item,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err);
/* The same for `file`, which has the name `name` and stays valid until the record is written. */
enum tfr_status tfr_audio_item_put(struct tfr_input *in, struct tfr_item *item,
	const struct tfr_bytes *file, const char *name, struct tfr_workbench *bench,
	const struct tfr_room *room, struct tfr_error *err);

#endif
