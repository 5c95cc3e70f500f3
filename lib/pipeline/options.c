/* pipeline/options.c - what was asked for, checked, with the defaults filled in: first what can be
 * said before a record was seen, then the list, whose default depends on the records. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/text.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "pipeline/plan.h"
#include "pipeline/state.h"
#include "thread/threads.h"

static const char images_list[] =
	"read=4:1,parse,shuffle=2048,decode,random-resized-crop=224,flip,normalise,batch=64,upload";

/* In the place of decode and what is behind it, where the records hold sounds. */
static const char sounds_list[] = "decode=audio,random-crop=1s";

static enum tfr_status check_numbers(struct tfr_pipeline *p, struct tfr_error *err)
{
	struct tfr_pipeline_opts *o = &p->opts;

	o->threads = tfr_thread_count(o->threads);
	o->memory = o->memory ? o->memory : 1ull << 30;
	o->steps_per_transfer = o->steps_per_transfer ? o->steps_per_transfer : 1;
	if (o->threads > 1024)
		return tfr_fail(err, TFR_EUSAGE, "%u workers: there are at most 1024", o->threads);
	if (o->steps_per_transfer > 256)
		return tfr_fail(err, TFR_EUSAGE, "%u steps a transfer: there are at most 256",
			o->steps_per_transfer);
	if (!tfr_record_source_can_repeat(p)) {
		if (o->epochs > 1 && (!o->stages || !strstr(o->stages, "cache")))
			return tfr_fail(err, TFR_EUSAGE,
				"standard input can be read once, not for %llu epochs",
				(unsigned long long)o->epochs);
		p->source.epochs = 1;
	}
	return TFR_OK;
}

/* The stages of reading are needed before anything is read. */
static enum tfr_status check_list(struct tfr_pipeline *p, struct tfr_error *err)
{
	enum tfr_status status =
		tfr_stage_list_parse(&p->list, p->opts.stages ? p->opts.stages : images_list, err);
	const struct tfr_stage *read = p->list.at;

	if (status)
		return status;
	p->cycle = (uint32_t)read->n;
	p->block_length = (uint32_t)(read->min ? read->min : 1);
	return TFR_OK;
}

enum tfr_status tfr_feed_options_check(struct tfr_pipeline *p, struct tfr_error *err)
{
	enum tfr_status status = check_numbers(p, err);

	if (status == TFR_OK)
		status = check_list(p, err);
	if (status == TFR_OK && tfr_stage_list_find(&p->list, STAGE_CACHE) < p->list.count)
		p->source.epochs = 1;
	else if (status == TFR_OK && !p->source.epochs)
		p->source.epochs = p->opts.epochs;
	return status;
}

void tfr_feed_options_clear(struct tfr_pipeline *p)
{
	tfr_stage_list_free(&p->list);
	free(p->description);
	if (p->features)
		tfr_feature_block_clear(p->features);
	free(p->features);
}

/* ---- once the records are known ---- */

static enum tfr_status parse_again(struct tfr_pipeline *p, const char *list, struct tfr_error *err)
{
	tfr_stage_list_free(&p->list);
	return tfr_stage_list_parse(&p->list, list, err);
}

/* Inflating is a row of its own where there is something to inflate. */
static enum tfr_status show_inflate(struct tfr_pipeline *p, struct tfr_error *err)
{
	TFR_AUTO_FREE char *text = tfr_stage_list_text(&p->list), *with = NULL;
	size_t read = text ? strcspn(text, ",") : 0;

	if (text)
		with = tfr_asprintf("%.*s,inflate%s", (int)read, text, text + read);
	if (!with)
		return tfr_fail_nomem(err, "starting a feed");
	return parse_again(p, with, err);
}

/* With `normalise_on_device` the host ends with bytes, in the place of normalise. */
static enum tfr_status leave_normalising(struct tfr_pipeline *p, struct tfr_error *err)
{
	unsigned batch = tfr_stage_list_find(&p->list, STAGE_BATCH);
	const struct tfr_stage *last =
		batch && batch < p->list.count ? &p->list.at[batch - 1] : NULL;
	TFR_AUTO_FREE char *list = NULL;

	if (!last || strcmp(last->row->name, "normalise"))
		return tfr_fail(err, TFR_EUSAGE,
			"to normalise on the device, stage 'normalise' must be the last before "
			"batch");
	p->channels = 3;
	for (unsigned c = 0; c < 3; c++) {
		unsigned from = last->channels == 1 ? 0 : c;

		p->mean[c] = last->channels ? last->mean[from] * 255 : 127.5f;
		p->std[c] = last->channels ? last->std[from] * 255 : 127.5f;
	}
	free(last->text);
	((struct tfr_stage *)last)->text = strdup("cast=uint8");
	if (!last->text)
		return tfr_fail_nomem(err, "starting a feed");
	list = tfr_stage_list_text(&p->list);
	return list ? parse_again(p, list, err) : tfr_fail_nomem(err, "starting a feed");
}

static enum tfr_status check_decoding(
	struct tfr_pipeline *p, const struct tfr_first_records *f, struct tfr_error *err)
{
	bool sounds = tfr_feeds_audio(p);

	if (!p->images)
		return TFR_OK;
	if (sounds && p->opts.fast_decode)
		return tfr_fail(err, TFR_EUSAGE, "sounds are not decoded fast: they are exact");
	if (sounds ? f->sounds.count : f->images)
		return TFR_OK;
	tfr_fail(err, TFR_EUSAGE, "stage 'decode': none of the first records has %s",
		sounds ? "audio/encoded" : "image/encoded");
	if (!sounds && f->sounds.count)
		tfr_error_hint(err, "They have audio/encoded: decode=audio decodes it.");
	return TFR_EUSAGE;
}

static enum tfr_status check_records(
	struct tfr_pipeline *p, const struct tfr_first_records *f, struct tfr_error *err)
{
	unsigned filter = tfr_stage_list_find(&p->list, STAGE_FILTER);
	enum tfr_status status = check_decoding(p, f, err);

	if (status)
		return status;
	if (filter < p->list.count && !p->opts.where)
		return tfr_fail(err, TFR_EUSAGE, "stage 'filter' has nothing to filter by");
	if (filter == p->list.count && p->opts.where)
		return tfr_fail(err, TFR_EUSAGE, "there is no stage 'filter' for the expression");
	if (p->uploads && !p->opts.device_count)
		return tfr_fail(err, TFR_EUSAGE, "stage 'upload': there is no device");
	return TFR_OK;
}

static enum tfr_status note_batch(struct tfr_pipeline *p, struct tfr_error *err)
{
	unsigned batch = tfr_stage_list_find(&p->list, STAGE_BATCH);
	uint32_t copies = tfr_stage_list_copies(&p->list);

	p->batch = 64;
	p->batch_row = p->list.count;
	if (batch == p->list.count)
		return TFR_OK;
	p->batch = (uint32_t)p->list.at[batch].n;
	p->batch_row = batch;
	for (unsigned i = batch; i < p->list.count; i++)
		if (p->list.at[i].kind == STAGE_PREFETCH)
			p->prefetch = p->list.at[i].n < 64 ? (unsigned)p->list.at[i].n : 64;
	if (p->features && copies > 1 && p->batch % copies)
		return tfr_fail(err, TFR_EUSAGE,
			"with features, batches of %u must be whole records' %u images", p->batch,
			copies);
	return TFR_OK;
}

static enum tfr_status note_features(struct tfr_pipeline *p, struct tfr_error *err)
{
	if (!p->opts.feature_count)
		return TFR_OK;
	p->features = calloc(1, sizeof(*p->features));
	if (!p->features)
		return tfr_fail_nomem(err, "starting a feed");
	return tfr_feature_block_init(p->features, p->opts.features, p->opts.feature_count, err);
}

/* What the list is: it does not change any more. */
static enum tfr_status note_list(
	struct tfr_pipeline *p, const struct tfr_first_records *f, struct tfr_error *err)
{
	unsigned decode = tfr_stage_list_find(&p->list, STAGE_DECODE);
	enum tfr_status status;

	p->rows = p->list.count;
	p->images = decode < p->list.count;
	p->layout.masks = p->images && p->list.at[decode].masks;
	p->uploads = tfr_stage_list_find(&p->list, STAGE_UPLOAD) < p->list.count;
	status = check_records(p, f, err);
	if (status == TFR_OK)
		status = note_features(p, err);
	if (status == TFR_OK)
		status = note_batch(p, err);
	p->tensors_most = 2 + (p->features ? p->features->tensors : 0);
	return status;
}

/* The list without what only images need; with what sounds need in the place of decode. */
static enum tfr_status leave_images_out(struct tfr_pipeline *p, bool sounds, struct tfr_error *err)
{
	bool filters = tfr_stage_list_find(&p->list, STAGE_FILTER) < p->list.count;
	TFR_AUTO_FREE char *list = calloc(1, 1);

	for (unsigned i = 0; list && i < p->list.count; i++) {
		const struct tfr_stage *st = &p->list.at[i];
		const char *text = st->kind == STAGE_DECODE && sounds ? sounds_list : st->text;
		char *longer = NULL;

		if ((st->kind == STAGE_PARSE && !filters && !sounds) ||
			(st->kind == STAGE_DECODE && !sounds) || st->kind == STAGE_IMAGE)
			continue;
		longer = tfr_asprintf("%s%s%s", list, i ? "," : "", text);
		free(list);
		list = longer;
	}
	return list ? parse_again(p, list, err) : tfr_fail_nomem(err, "starting a feed");
}

/* Sounds of one rate, and where nothing makes them so, of one number of channels. */
static enum tfr_status settle_sounds(
	struct tfr_pipeline *p, const struct tfr_first_clips *f, struct tfr_error *err)
{
	const struct tfr_stage *decode = &p->list.at[tfr_stage_list_find(&p->list, STAGE_DECODE)];
	enum tfr_status status;

	if (!f->measured) { /* nothing says what a batch is like */
		if (err)
			*err = f->why;
		return f->why.status;
	}
	if (!decode->rate && f->other_rate) {
		tfr_fail(err, TFR_EUSAGE,
			"the first records hold sounds of %u and of %u samples a second", f->rate,
			f->other_rate);
		tfr_error_hint(err,
			"Nothing is resampled: decode=audio:%u takes the ones and has the others "
			"for bad records.",
			f->rate);
		return TFR_EUSAGE;
	}
	status = tfr_stage_list_settle_audio(&p->list, f->rate, f->channels, err);
	decode = &p->list.at[tfr_stage_list_find(&p->list, STAGE_DECODE)];
	if (status || !decode->voices || !f->other_channels || f->other_rate)
		return status;
	tfr_fail(err, TFR_EUSAGE, "the first records hold sounds of %u and of %u channels",
		f->channels, f->other_channels);
	tfr_error_hint(err, "Put mono or channels=N behind decode=audio.");
	return TFR_EUSAGE;
}

/* What parses records needs some that are Examples. */
static enum tfr_status check_types(
	const struct tfr_pipeline *p, const struct tfr_first_records *f, struct tfr_error *err)
{
	struct tfr_content_result types = tfr_content_settle(&f->types);

	if (!p->opts.feature_count && tfr_stage_list_find(&p->list, STAGE_PARSE) == p->list.count)
		return TFR_OK;
	return tfr_content_refuse(
		&types, tfr_set_count(p->opts.set) == 1 ? tfr_set_path(p->opts.set, 0) : NULL, err);
}

enum tfr_status tfr_feed_options_settle(
	struct tfr_pipeline *p, const struct tfr_first_records *f, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	if ((!p->opts.stages || p->opts.images_optional) && !f->images)
		status = leave_images_out(p, f->sounds.recognised > 0, err);
	if (status == TFR_OK)
		status = check_types(p, f, err);
	if (status == TFR_OK && f->compressed &&
		tfr_stage_list_find(&p->list, STAGE_INFLATE) == p->list.count)
		status = show_inflate(p, err);
	if (status == TFR_OK && tfr_feeds_audio(p) && f->sounds.count)
		status = settle_sounds(p, &f->sounds, err);
	if (status)
		return status;
	p->description = tfr_stage_list_text(&p->list);
	if (!p->description)
		return tfr_fail_nomem(err, "starting a feed");
	if (p->opts.normalise_on_device)
		status = leave_normalising(p, err);
	return status ? status : note_list(p, f, err);
}
