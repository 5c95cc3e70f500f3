/* pipeline/first_records.c - looks at the first records.
 *
 * They are read ahead as they would be anyway: no file is opened twice, so that pipes can be
 * looked at like files. */
#include "pipeline/first_records.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/audio.h>
#include <tfr-private/example.h>
#include <tfr-private/media.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "pipeline/control.h"
#include "pipeline/report/statistics.h"
#include "pipeline/source/record_source.h"
#include "pipeline/transfer/feature_block.h"

enum { SAMPLE_RECORDS = 64, SAMPLE_MAX = 1024 };

/* Nanoseconds: after the first record, for how long more are waited for; between two looks. */
enum { SAMPLE_WAIT_NS = 200000000, LOOK_NS = 10000000 };

/* Waits for the first records, but after the first one not for long: a pipe may be slow. */
static enum tfr_status await_sample(const struct tfr_pipeline_context *p, struct tfr_error *err)
{
	const struct tfr_pipeline_opts *opts = &p->settings->opts;
	uint64_t first = 0, records;

	while (!tfr_record_source_has_first(p->source, SAMPLE_RECORDS, &records)) {
		uint64_t now = tfr_clock_ns();
		double seconds = tfr_statistics_seconds(p->statistics, now);

		if (records && !first)
			first = now;
		if (first && now - first > SAMPLE_WAIT_NS)
			break;
		if (opts->cancelled && opts->cancelled(opts->ctx))
			return tfr_fail(err, TFR_ECANCELLED, "cancelled");
		if (opts->seconds > 0 && seconds > opts->seconds)
			break;
		if (opts->stall_timeout > 0 && !records && seconds > opts->stall_timeout)
			return tfr_control_stalled(
				p->settings, 0, tfr_record_source_waits_for(p->source), err);
		tfr_record_source_hurry(p->source);
		tfr_control_consumer_wait(p->control, now + LOOK_NS);
	}
	return TFR_OK;
}

static enum tfr_status measure_clip(const struct tfr_settings *settings,
	const struct tfr_bytes *clip, struct tfr_audio_info *info, struct tfr_error *err)
{
	uint32_t rate = settings->audio ? settings->decode->rate : 0;
	struct tfr_audio_stream *stream = NULL;
	enum tfr_status status = tfr_audio_probe(clip->data, clip->size, info, err);

	if (status == TFR_EFORMAT && info->recognised &&
		!tfr_audio_open(&stream, clip->data, clip->size, info, NULL))
		status = TFR_OK;
	tfr_audio_close(stream);
	if (status == TFR_OK && rate && info->sample_rate != rate)
		return tfr_fail(err, TFR_EDATA, "an audio clip of %u samples per second, not of %u",
			info->sample_rate, rate);
	return status;
}

/* The first clip decides for all. */
static void look_at_clip(const struct tfr_settings *settings, const struct tfr_pipeline_sample *s,
	const struct tfr_bytes *clip, struct tfr_first_clips *f)
{
	struct tfr_audio_info info;
	struct tfr_error why;
	enum tfr_status status = measure_clip(settings, clip, &info, &why);

	f->count++;
	f->recognised += tfr_audio_sniff(clip->data, clip->size);
	if (status) {
		if (!f->why.status) {
			f->why = why;
			f->why.status = TFR_EDATA;
			tfr_error_locate(&f->why, tfr_set_path(settings->opts.set, s->file),
				s->record, s->offset);
		}
		return;
	}
	if (!f->measured++) {
		f->rate = info.sample_rate;
		f->channels = info.channels;
	}
	if (info.sample_rate != f->rate)
		f->other_rate = info.sample_rate;
	if (info.channels != f->channels)
		f->other_channels = info.channels;
	f->samples += info.samples;
}

/* The feed, and the findings about its first records. */
struct survey {
	const struct tfr_settings *settings;
	struct tfr_example *example;
	struct tfr_first_records *found;
	bool no_memory;
};

static void look_at_example(struct survey *v, const struct tfr_pipeline_sample *s)
{
	struct tfr_first_records *f = v->found;
	const struct tfr_feature *feature;
	struct tfr_image_info info;
	struct tfr_bytes bytes;
	enum tfr_status status;

	f->types.records[tfr_likeness_of(s->data, s->size)]++;
	status = tfr_example_parse(v->example, s->data, s->size, NULL);
	v->no_memory |= status == TFR_ENOMEM;
	if (status)
		return;
	feature = tfr_example_get(v->example, "audio/encoded");
	if (tfr_feature_bytes(feature, 0, &bytes))
		look_at_clip(v->settings, s, &bytes, &f->clips);
	feature = tfr_example_get(v->example, "image/encoded");
	if (!feature || feature->kind != TFR_KIND_BYTES)
		return;
	f->images++;
	if (!tfr_feature_bytes(feature, 0, &bytes) ||
		tfr_image_probe(bytes.data, bytes.size, &info, NULL))
		return;
	f->pixels += (uint64_t)info.width * info.height;
	f->widths += info.width;
	f->heights += info.height;
	if ((uint64_t)info.width * info.height > f->most_pixels)
		f->most_pixels = (uint64_t)info.width * info.height;
}

static bool look_at(void *ctx, const struct tfr_pipeline_sample *s)
{
	struct survey *v = ctx;
	struct tfr_first_records *f = v->found;
	uint64_t footprint = tfr_sample_footprint(s->size);

	f->records++;
	f->bytes += s->size;
	f->footprint += footprint;
	if (footprint > f->largest)
		f->largest = footprint;
	if (f->records <= SAMPLE_MAX)
		look_at_example(v, s);
	return true;
}

static enum tfr_status survey(
	const struct tfr_pipeline_context *p, struct tfr_first_records *f, struct tfr_error *err)
{
	struct survey v = { p->settings, tfr_example_new(), f, false };

	TFR_NEED_MEMORY(v.example, err, "looking at the first records");
	tfr_record_source_each(p->source, look_at, &v);
	tfr_example_free(v.example);
	if (v.no_memory)
		return tfr_fail_nomem(err, "looking at the first records");
	if (f->records)
		return TFR_OK;
	TFR_TRY(tfr_record_source_first_fault(p->source, err));
	return tfr_fail(err, TFR_EDATA, "no records to feed");
}

enum tfr_status tfr_first_records_read(
	const struct tfr_pipeline_context *p, struct tfr_first_records *f, struct tfr_error *err)
{
	enum tfr_status status;

	pthread_mutex_lock(&p->control->lock);
	status = await_sample(p, err);
	f->compressed = tfr_record_source_compressed(p->source);
	if (status == TFR_OK)
		status = survey(p, f, err);
	pthread_mutex_unlock(&p->control->lock);
	if (f->images) {
		double side = sqrt((double)f->pixels / (double)f->images);

		f->mean_width = f->mean_height = (uint32_t)side;
	}
	return status;
}

/* ---- features ---- */

/* The first records, parsed one by one: the good ones, and why the first bad one is. */
struct trial {
	struct tfr_batch_parser *parser;
	struct tfr_bytes good[SAMPLE_MAX];
	size_t seen, count;
	enum tfr_status status;
	struct tfr_error *err;
	const struct tfr_pipeline_sample *bad;
};

static bool parse_one(void *ctx, const struct tfr_pipeline_sample *s)
{
	struct trial *k = ctx;
	struct tfr_bytes record = { s->data, s->size };
	/* Columns of views cannot be made record by record: each is a batch at first. */
	enum tfr_status status = tfr_batch_parse(k->parser, &record, 1, k->status ? NULL : k->err);

	if (status == TFR_OK) {
		k->good[k->count++] = record;
	} else if (!k->status) {
		k->status = status;
		k->bad = s;
		if (k->err)
			tfr_feature_error_alone(k->err->message);
	}
	return ++k->seen < SAMPLE_MAX;
}

/* The names of the wanted features, and which of them the first records have. */
static struct tfr_feature_watch *watch_features(
	const struct tfr_pipeline_context *p, const struct trial *k)
{
	const struct tfr_feature_block *f = p->settings->features;
	struct tfr_feature_watch *w = tfr_feature_watch_new();
	struct tfr_example *ex = tfr_example_new();
	bool good = w && ex;

	for (size_t i = 0; good && i < f->count; i++)
		good = tfr_feature_watch_add(w, f->list[i].name);
	for (size_t i = 0; good && i < k->count; i++)
		if (!tfr_example_parse(ex, k->good[i].data, k->good[i].size, NULL))
			tfr_feature_watch_look(w, ex);
	if (good && k->bad && !tfr_example_parse(ex, k->bad->data, k->bad->size, NULL))
		tfr_feature_watch_look(w, ex);
	tfr_example_free(ex);
	if (good)
		return w;
	tfr_feature_watch_free(w);
	return NULL;
}

/* A name that no record has may be misspelt: a hint for the error that names it, or a warning. */
static void suggest_names(const struct tfr_pipeline_context *p, const struct trial *k,
	enum tfr_status status, struct tfr_error *err)
{
	const struct tfr_pipeline_opts *opts = &p->settings->opts;
	struct tfr_feature_watch *w = watch_features(p, k);
	const char *name, *meant;

	for (size_t i = 0; w && tfr_feature_watch_missing(w, i, &name, &meant); i++) {
		char text[600];

		snprintf(text, sizeof(text), "feature '%s'", name);
		if (status && err && meant && strstr(err->message, text))
			tfr_error_hint(err, "Did you mean '%s'?", meant);
		snprintf(text, sizeof(text), "none of the first records has '%s'%s%s%s", name,
			meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
		if (!status && opts->warn)
			opts->warn(opts->ctx, text);
	}
	tfr_feature_watch_free(w);
}

enum tfr_status tfr_first_records_parse(
	const struct tfr_pipeline_context *p, struct tfr_first_records *f, struct tfr_error *err)
{
	TFR_AUTO_FREE struct trial *k = calloc(1, sizeof(*k));
	enum tfr_status status;

	TFR_NEED_MEMORY(k, err, "looking at the first records");
	k->err = err;
	TFR_TRY(tfr_feature_block_parser(p->settings->features, &k->parser, err));
	pthread_mutex_lock(&p->control->lock);
	tfr_record_source_each(p->source, parse_one, k);
	status = k->count ? tfr_batch_parse(k->parser, k->good, k->count, err) : k->status;
	if (k->count && status == TFR_OK)
		f->features_bytes = tfr_feature_block_guess(
			p->settings->features, k->parser, p->settings->batch);
	else if (!k->count && k->bad && status == TFR_EDATA)
		tfr_error_locate(err, tfr_set_path(p->settings->opts.set, k->bad->file),
			k->bad->record, k->bad->offset);
	if (status == TFR_OK || status == TFR_EDATA)
		suggest_names(p, k, status, err);
	pthread_mutex_unlock(&p->control->lock);
	tfr_batch_parser_free(k->parser);
	return status;
}
