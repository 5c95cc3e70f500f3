/* pipeline/options.c - the settings: checks the options and fills in the defaults: first what does
 * not depend on the records, then the list, whose default depends on them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/text.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "pipeline/first_records.h"
#include "pipeline/settings.h"
#include "pipeline/transfer/feature_block.h"
#include "thread/threads.h"

static const char images_list[] =
	"read=4:1,parse,shuffle=2048,decode,random-resized-crop=224,flip,normalise,batch=64,upload";

/* In place of decode and the stages after it, if the records hold audio. */
static const char audio_list[] = "decode=audio,random-crop=1s";

/* Standard input can be read once only. */
static bool can_repeat(const struct tfr_set *files)
{
	for (size_t i = 0; i < tfr_set_count(files); i++)
		if (strcmp(tfr_set_path(files, i), "-") == 0)
			return false;
	return true;
}

static enum tfr_status check_in_place(const struct tfr_pipeline_opts *o, struct tfr_error *err)
{
	bool possible =
		!o->pageable && !o->verify && !o->normalise_on_device && o->steps_per_transfer <= 1;

	for (unsigned i = 0; i < o->device_count; i++)
		possible = possible && tfr_device_in_process(o->devices[i]);
	if (possible || !o->in_place)
		return TFR_OK;
	return tfr_fail(err, TFR_EUSAGE,
		"batches cannot be handed out in place: that needs a device in the process, and "
		"neither pageable, verify, normalise_on_device nor steps_per_transfer");
}

static enum tfr_status check_numbers(struct tfr_settings *settings, struct tfr_error *err)
{
	struct tfr_pipeline_opts *o = &settings->opts;

	o->threads = tfr_thread_count(o->threads);
	o->memory = o->memory ? o->memory : 1ull << 30;
	o->steps_per_transfer = o->steps_per_transfer ? o->steps_per_transfer : 1;
	if (o->threads > 1024)
		return tfr_fail(err, TFR_EUSAGE, "%u workers: there are at most 1024", o->threads);
	if (!(o->seconds >= 0 && o->stall_timeout >= 0)) /* nor NaN */
		return tfr_fail(err, TFR_EUSAGE, "seconds are 0 or more, not %g",
			o->seconds >= 0 ? o->stall_timeout : o->seconds);
	if (o->steps_per_transfer > 256)
		return tfr_fail(err, TFR_EUSAGE, "%u steps per transfer: there are at most 256",
			o->steps_per_transfer);
	if (!can_repeat(o->set)) {
		if (o->epochs > 1 && (!o->stages || !strstr(o->stages, "cache")))
			return tfr_fail(err, TFR_EUSAGE,
				"standard input can be read once, not for %llu epochs",
				(unsigned long long)o->epochs);
		settings->source_epochs = 1;
	}
	return TFR_OK;
}

/* ---- the list ---- */

static bool has_stage(const struct tfr_settings *settings, enum tfr_stage_kind kind)
{
	return tfr_stage_list_find(&settings->list, kind) < settings->list.count;
}

/* Parses a list in place of the one before, and notes what it has. */
static enum tfr_status use_list(
	struct tfr_settings *settings, const char *text, struct tfr_error *err)
{
	struct tfr_stage_list list;
	unsigned decode;

	TFR_TRY(tfr_stage_list_parse(&list, text, err));
	tfr_stage_list_free(&settings->list);
	settings->list = list;
	settings->rows = list.count;
	decode = tfr_stage_list_find(&list, STAGE_DECODE);
	settings->decode = decode < list.count ? &list.at[decode] : NULL;
	settings->images = settings->decode;
	settings->audio = settings->images && settings->decode->audio;
	settings->masks = settings->images && settings->decode->masks;
	settings->uploads = has_stage(settings, STAGE_UPLOAD);
	settings->uploaders = settings->uploads ? settings->opts.device_count : 1;
	settings->kernels = settings->uploads && settings->opts.normalise_on_device;
	settings->batches = has_stage(settings, STAGE_BATCH);
	settings->batch_row = tfr_stage_list_find(&list, STAGE_BATCH);
	settings->batch = settings->batches ? (uint32_t)list.at[settings->batch_row].n : 64;
	settings->prefetch = 0;
	for (unsigned i = settings->batch_row; i < list.count; i++)
		if (list.at[i].kind == STAGE_PREFETCH)
			settings->prefetch = list.at[i].n < 64 ? (unsigned)list.at[i].n : 64;
	return TFR_OK;
}

/* Parses the list again after texts of its stages were changed. */
static enum tfr_status use_texts(struct tfr_settings *settings, struct tfr_error *err)
{
	TFR_AUTO_FREE char *text = tfr_stage_list_text(&settings->list);

	TFR_NEED_MEMORY(text, err, "starting a feed");
	return use_list(settings, text, err);
}

/* Changes the text of a stage to one on the heap. */
static enum tfr_status change_text(struct tfr_stage *st, char *text, struct tfr_error *err)
{
	TFR_NEED_MEMORY(text, err, "starting a feed");
	free(st->text);
	st->text = text;
	return TFR_OK;
}

/* ---- before anything is read ---- */

enum tfr_status tfr_settings_init(
	struct tfr_settings *settings, const struct tfr_pipeline_opts *opts, struct tfr_error *err)
{
	const struct tfr_stage *read;

	*settings = (struct tfr_settings){ .opts = *opts };
	TFR_TRY(check_numbers(settings, err));
	TFR_TRY(check_in_place(&settings->opts, err));
	TFR_TRY(use_list(settings, opts->stages ? opts->stages : images_list, err));
	read = settings->list.at;
	settings->cycle = (uint32_t)read->n;
	settings->block_length = (uint32_t)(read->min ? read->min : 1);
	if (has_stage(settings, STAGE_CACHE))
		settings->source_epochs = 1;
	else if (!settings->source_epochs)
		settings->source_epochs = settings->opts.epochs;
	return TFR_OK;
}

void tfr_settings_clear(struct tfr_settings *settings)
{
	tfr_stage_list_free(&settings->list);
	free(settings->description);
	if (settings->features)
		tfr_feature_block_clear(settings->features);
	free(settings->features);
}

/* ---- once the records are known ---- */

/* With `normalise_on_device` the host ends with bytes, in the place of normalise. */
static enum tfr_status leave_normalising(struct tfr_settings *settings, struct tfr_error *err)
{
	struct tfr_stage *last =
		settings->batches ? &settings->list.at[settings->batch_row - 1] : NULL;

	if (!last || last->row->transform != TRANSFORM_NORMALISE)
		return tfr_fail(err, TFR_EUSAGE,
			"to normalise on the device, stage 'normalise' must be the last before "
			"batch");
	settings->channels = 3;
	for (unsigned c = 0; c < 3; c++) {
		unsigned from = last->channels == 1 ? 0 : c;

		settings->mean[c] = last->channels ? last->mean[from] * 255 : 127.5f;
		settings->std[c] = last->channels ? last->std[from] * 255 : 127.5f;
	}
	TFR_TRY(change_text(last, strdup("cast=uint8"), err));
	return use_texts(settings, err);
}

static enum tfr_status check_decoding(
	struct tfr_settings *settings, const struct tfr_first_records *f, struct tfr_error *err)
{
	bool audio = settings->audio;

	if (!settings->images)
		return TFR_OK;
	if (audio && settings->opts.fast_decode)
		return tfr_fail(err, TFR_EUSAGE, "audio is always decoded exactly, never fast");
	if (audio ? f->clips.count : f->images)
		return TFR_OK;
	tfr_fail(err, TFR_EUSAGE, "stage 'decode': none of the first records has %s",
		audio ? "audio/encoded" : "image/encoded");
	if (!audio && f->clips.count)
		tfr_error_hint(err, "They have audio/encoded: decode=audio decodes it.");
	return TFR_EUSAGE;
}

static enum tfr_status check_records(
	struct tfr_settings *settings, const struct tfr_first_records *f, struct tfr_error *err)
{
	TFR_TRY(check_decoding(settings, f, err));
	if (has_stage(settings, STAGE_FILTER) && !settings->opts.where)
		return tfr_fail(err, TFR_EUSAGE, "stage 'filter' has nothing to filter by");
	if (!has_stage(settings, STAGE_FILTER) && settings->opts.where)
		return tfr_fail(err, TFR_EUSAGE, "there is no stage 'filter' for the expression");
	if (settings->uploads && !settings->opts.device_count)
		return tfr_fail(err, TFR_EUSAGE, "stage 'upload': there is no device");
	return TFR_OK;
}

static enum tfr_status note_features(struct tfr_settings *settings, struct tfr_error *err)
{
	uint32_t copies = tfr_stage_list_copies(&settings->list);

	settings->tensors_max = 2;
	if (!settings->opts.feature_count)
		return TFR_OK;
	settings->features = calloc(1, sizeof(*settings->features));
	TFR_NEED_MEMORY(settings->features, err, "starting a feed");
	TFR_TRY(tfr_feature_block_init(
		settings->features, settings->opts.features, settings->opts.feature_count, err));
	settings->tensors_max += settings->features->tensors;
	if (settings->batches && copies > 1 && settings->batch % copies)
		return tfr_fail(err, TFR_EUSAGE,
			"with features, batches of %u must hold all %u images of each record",
			settings->batch, copies);
	return TFR_OK;
}

/* Leaves the stages of images out of the list; puts those of audio in place of decode. */
static enum tfr_status leave_images_out(
	struct tfr_settings *settings, bool audio, struct tfr_error *err)
{
	bool parses = audio || has_stage(settings, STAGE_FILTER);

	for (unsigned i = 0; i < settings->list.count; i++) {
		struct tfr_stage *st = &settings->list.at[i];

		if (st->kind == STAGE_DECODE && audio)
			TFR_TRY(change_text(st, strdup(audio_list), err));
		else if (st->kind == STAGE_DECODE || st->kind == STAGE_IMAGE ||
			 (st->kind == STAGE_PARSE && !parses))
			free(TFR_STEAL(st->text));
	}
	return use_texts(settings, err);
}

/* Checks that all audio clips have one sample rate and, unless a stage makes it so, one number
 * of channels. */
static enum tfr_status settle_audio(
	struct tfr_settings *settings, const struct tfr_first_clips *f, struct tfr_error *err)
{
	const struct tfr_stage *decode = settings->decode;

	if (!f->measured) { /* there is no clip to decide the form of a batch */
		if (err)
			*err = f->why;
		return f->why.status;
	}
	if (!decode->rate && f->other_rate) {
		tfr_fail(err, TFR_EUSAGE,
			"the first records hold audio clips of %u and of %u samples per second",
			f->rate, f->other_rate);
		tfr_error_hint(err,
			"Clips are not resampled: decode=audio:%u decodes those of that rate, and "
			"the others are bad records.",
			f->rate);
		return TFR_EUSAGE;
	}
	TFR_TRY(tfr_stage_list_settle_audio(&settings->list, f->rate, f->channels, err));
	if (!decode->voices || !f->other_channels || f->other_rate)
		return TFR_OK;
	return tfr_fail_hint(err, TFR_EUSAGE, "Put mono or channels=N after decode=audio.",
		"the first records hold audio clips of %u and of %u channels", f->channels,
		f->other_channels);
}

/* What parses records needs some that are Examples. */
static enum tfr_status check_types(const struct tfr_settings *settings,
	const struct tfr_first_records *f, struct tfr_error *err)
{
	struct tfr_content_result types = tfr_content_settle(&f->types);

	if (!settings->opts.feature_count && !has_stage(settings, STAGE_PARSE))
		return TFR_OK;
	return tfr_content_refuse(&types,
		tfr_set_count(settings->opts.set) == 1 ? tfr_set_path(settings->opts.set, 0) : NULL,
		err);
}

enum tfr_status tfr_settings_settle(
	struct tfr_settings *settings, const struct tfr_first_records *f, struct tfr_error *err)
{
	if ((!settings->opts.stages || settings->opts.images_optional) && !f->images)
		TFR_TRY(leave_images_out(settings, f->clips.recognised > 0, err));
	TFR_TRY(check_types(settings, f, err));
	if (f->compressed && !has_stage(settings, STAGE_INFLATE)) {
		struct tfr_stage *read = settings->list.at;

		TFR_TRY(change_text(read, tfr_asprintf("%s,inflate", read->text), err));
		TFR_TRY(use_texts(settings, err));
	}
	if (settings->audio && f->clips.count)
		TFR_TRY(settle_audio(settings, &f->clips, err));
	settings->description = tfr_stage_list_text(&settings->list);
	TFR_NEED_MEMORY(settings->description, err, "starting a feed");
	if (settings->opts.normalise_on_device)
		TFR_TRY(leave_normalising(settings, err));
	TFR_TRY(check_records(settings, f, err));
	return note_features(settings, err);
}
