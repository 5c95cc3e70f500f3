/* convert/audio_features.c - makes the audio/… features of all inputs, as image_features.c makes
 * those of images.
 *
 * No convention for audio is as common as image/…: the names are those of images with audio in
 * place of image, and three more that describe the samples. */
#include "convert/audio_features.h"

#include <math.h>

#include <tfr-private/audio.h>

enum { KEEP = 4 << 20 }; /* memory is kept for up to so many bytes of floats */

void tfr_audio_item_look(struct tfr_item *item)
{
	if (!tfr_audio_sniff(item->file.data, item->file.size))
		tfr_audio_item_judge(item);
}

static void probe(struct tfr_item *item, const struct tfr_bytes *file, struct tfr_audio_info *info)
{
	struct tfr_error why;

	if (!tfr_audio_probe(file->data, file->size, info, &why))
		return;
	tfr_item_skip_error(item, &why);
	item->finding = !file->size	   ? TFR_FOUND_EMPTY
			: info->truncated  ? TFR_FOUND_TRUNCATED
			: info->recognised ? TFR_FOUND_DAMAGED
					   : TFR_FOUND_UNUSABLE;
}

void tfr_audio_item_judge(struct tfr_item *item)
{
	struct tfr_bytes file = { item->file.data, item->file.size };
	struct tfr_audio_info info;

	probe(item, &file, &info);
}

static enum tfr_status add_bytes(
	struct tfr_item *item, const struct tfr_bytes *file, struct tfr_error *err)
{
	TFR_TRY(tfr_builder_bytes_ref(item->builder, "audio/encoded", file, 1, err));
	return tfr_builder_text(item->builder, "audio/format", "wav", err);
}

/* The samples as floats, followed by zeros up to a whole number of frames. */
static enum tfr_status decode(const struct tfr_bytes *file, const struct tfr_audio_info *info,
	size_t values, size_t padded, struct tfr_workbench *bench, const struct tfr_room *room,
	struct tfr_error *err)
{
	float *out;

	/* The samples are decoded, encoded for the wire, and copied into the record. */
	tfr_room_reserve(room, 3 * sizeof(float) * padded);
	bench->pixels.size = 0;
	TFR_NEED_MEMORY(tfr_buf_reserve(&bench->pixels, (padded + 1) * sizeof(float)), err,
		"decoding audio");
	out = (float *)(void *)bench->pixels.data;
	tfr_audio_samples(file->data, info, 0, info->samples, out);
	for (size_t i = values; i < padded; i++)
		out[i] = 0;
	return TFR_OK;
}

static enum tfr_status add_floats(struct tfr_input *in, struct tfr_item *item,
	const struct tfr_bytes *file, const struct tfr_audio_info *info,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err)
{
	bool framed = in->opts->audio.frame != 0;
	double wanted = in->opts->audio.frame * info->sample_rate;
	/* Any size above the limit of an Example gives the same result. */
	uint64_t frame = wanted < 1e9 ? (uint64_t)llround(wanted) : 1000000000;
	uint64_t samples = info->samples;
	const float *values;
	size_t n;

	if (framed && !frame) {
		tfr_item_skip(item, TFR_EDATA,
			"a frame is less than half a sample at %u samples per second",
			info->sample_rate);
		return TFR_OK;
	}
	if (framed)
		samples = (samples + frame - 1) / frame * frame;
	if (samples > (uint64_t)TFR_ITEM_MOST / sizeof(float) / info->channels) {
		tfr_item_skip(item, TFR_EDATA, "more floats than an Example can hold");
		return TFR_OK;
	}
	n = (size_t)samples * info->channels;
	TFR_TRY(decode(file, info, (size_t)info->samples * info->channels, n, bench, room, err));
	values = (const float *)(void *)bench->pixels.data;
	if (!framed)
		return tfr_builder_floats(item->builder, "audio/waveform", values, n, err);
	TFR_TRY(tfr_builder_frames(
		item->builder, "audio/waveform", values, n, (size_t)frame * info->channels, err));
	return tfr_builder_int64(item->builder, "audio/frame_samples", (int64_t)frame, err);
}

static enum tfr_status add_notes(struct tfr_input *in, struct tfr_item *item, const char *name,
	const struct tfr_audio_info *info, struct tfr_error *err)
{
	struct tfr_builder *b = item->builder;
	const struct tfr_class *class =
		item->class == TFR_NO_CLASS ? NULL : &in->classes[item->class];

	TFR_TRY(tfr_builder_int64(b, "audio/channels", info->channels, err));
	if (class) {
		TFR_TRY(tfr_builder_int64(b, "audio/class/label", class->label, err));
		TFR_TRY(tfr_builder_text(b, "audio/class/text", class->text, err));
	}
	TFR_TRY(tfr_builder_text(b, "audio/filename", name, err));
	TFR_TRY(tfr_builder_int64(b, "audio/sample_rate", info->sample_rate, err));
	return tfr_builder_int64(b, "audio/samples", (int64_t)info->samples, err);
}

enum tfr_status tfr_audio_item_put(struct tfr_input *in, struct tfr_item *item,
	const struct tfr_bytes *file, const char *name, struct tfr_workbench *bench,
	const struct tfr_room *room, struct tfr_error *err)
{
	struct tfr_audio_info info;
	enum tfr_status status;

	probe(item, file, &info);
	if (item->skipped)
		return TFR_OK;
	status = in->opts->audio.kind == TFR_AUDIO_BYTES
			 ? add_bytes(item, file, err)
			 : add_floats(in, item, file, &info, bench, room, err);
	if (bench->pixels.cap > KEEP)
		tfr_buf_clear(&bench->pixels);
	return status || item->skipped ? status : add_notes(in, item, name, &info, err);
}

enum tfr_status tfr_audio_item_add(struct tfr_input *in, struct tfr_item *item,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err)
{
	struct tfr_bytes file = { item->file.data, item->file.size };

	return tfr_audio_item_put(in, item, &file, (const char *)item->name.data, bench, room, err);
}
