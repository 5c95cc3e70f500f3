/* pipeline/first_records.c - the first records, read ahead as they would be anyway: nothing is
 * opened twice, so that a pipe is looked at like a file. */
#include <math.h>
#include <stdlib.h>

#include <tfr-private/audio.h>

#include "base/error.h"
#include "pipeline/plan.h"
#include "pipeline/state.h"

enum { SAMPLE_RECORDS = 64, SAMPLE_MOST = 1024, SAMPLE_WAIT_NS = 200000000 };

/* Whether reading has come as far as it will without anybody taking records, or far enough: each
 * file that is read from has given its first records, so that what is said of them does not depend
 * on which file was there first. */
static bool sampled(const struct tfr_pipeline *p, uint64_t *records)
{
	const struct tfr_record_source *src = &p->source;
	bool all_stand = true, all_begun = true;

	*records = 0;
	for (uint32_t i = 0; i < src->count; i++) {
		const struct tfr_file_reader *r = &src->readings[i];

		for (const struct tfr_record_chunk *g = r->head; g; g = g->next)
			*records += g->count;
		if (r->path && r->bytes < src->budget)
			all_stand = false;
		if (r->path && !r->head)
			all_begun = false;
	}
	return all_stand || (all_begun && *records >= SAMPLE_RECORDS);
}

/* Waits for the first records, but after the first one not for long: a pipe may be slow. */
static enum tfr_status await_sample(struct tfr_pipeline *p, struct tfr_error *err)
{
	uint64_t first = 0, records;

	while (!sampled(p, &records)) {
		uint64_t now = tfr_clock_ns();
		struct timespec ts;

		if (records && !first)
			first = now;
		if (first && now - first > SAMPLE_WAIT_NS)
			break;
		if (p->opts.cancelled && p->opts.cancelled(p->opts.ctx))
			return tfr_fail(err, TFR_ECANCELLED, "cancelled");
		if (p->opts.seconds > 0 && (double)(now - p->start_ns) * 1e-9 > p->opts.seconds)
			break;
		if (p->opts.stall_timeout > 0 && !records &&
			(double)(now - p->start_ns) * 1e-9 > p->opts.stall_timeout)
			return tfr_feed_stalled(p, err);
		for (uint32_t i = 0; i < p->source.count; i++)
			atomic_store(&p->source.readings[i].hungry, true);
		now += 10000000;
		ts = (struct timespec){ (time_t)(now / 1000000000), (long)(now % 1000000000) };
		pthread_cond_timedwait(&p->arrivals, &p->lock, &ts);
	}
	return TFR_OK;
}

static enum tfr_status measure_sound(const struct tfr_pipeline *p, const struct tfr_bytes *sound,
	struct tfr_audio_info *info, struct tfr_error *err)
{
	uint32_t rate = tfr_feeds_audio(p)
				? p->list.at[tfr_stage_list_find(&p->list, STAGE_DECODE)].rate
				: 0;
	struct tfr_audio_stream *stream = NULL;
	enum tfr_status status = tfr_audio_probe(sound->data, sound->size, info, err);

	if (status == TFR_EFORMAT && info->recognised &&
		!tfr_audio_open(&stream, sound->data, sound->size, info, NULL))
		status = TFR_OK;
	tfr_audio_close(stream);
	if (status == TFR_OK && rate && info->sample_rate != rate)
		return tfr_fail(err, TFR_EDATA, "a sound of %u samples a second, not of %u",
			info->sample_rate, rate);
	return status;
}

/* The first sound stands for all. */
static void look_at_sound(struct tfr_pipeline *p, const struct tfr_feed_sample *s,
	const struct tfr_bytes *sound, struct tfr_first_clips *f)
{
	struct tfr_audio_info info;
	struct tfr_error why;
	enum tfr_status status = measure_sound(p, sound, &info, &why);

	f->count++;
	f->recognised += tfr_audio_sniff(sound->data, sound->size);
	if (status) {
		if (!f->why.status) {
			f->why = why;
			f->why.status = TFR_EDATA;
			tfr_error_locate(
				&f->why, tfr_set_path(p->opts.set, s->file), s->record, s->offset);
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

static void look_at_example(
	struct tfr_pipeline *p, const struct tfr_feed_sample *s, struct tfr_first_records *f)
{
	const struct tfr_feature *feature;
	struct tfr_image_info info;
	struct tfr_bytes bytes;

	f->types.records[tfr_likeness_of(s->data, s->size)]++;
	if (tfr_example_parse(p->example, s->data, s->size, NULL))
		return;
	feature = tfr_example_get(p->example, "audio/encoded");
	if (tfr_feature_bytes(feature, 0, &bytes))
		look_at_sound(p, s, &bytes, &f->sounds);
	feature = tfr_example_get(p->example, "image/encoded");
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

static void look_at(
	struct tfr_pipeline *p, const struct tfr_feed_sample *s, struct tfr_first_records *f)
{
	uint64_t footprint = tfr_sample_footprint(s->size);

	f->records++;
	f->bytes += s->size;
	f->footprint += footprint;
	if (footprint > f->largest)
		f->largest = footprint;
	if (f->records <= SAMPLE_MOST)
		look_at_example(p, s, f);
}

/* Calls `look` with each of the first records until it says no. */
static void each_record(struct tfr_pipeline *p,
	bool (*look)(struct tfr_pipeline *p, const struct tfr_feed_sample *s, void *ctx), void *ctx)
{
	for (uint32_t i = 0; i < p->source.count; i++)
		for (const struct tfr_record_chunk *g = p->source.readings[i].head; g; g = g->next)
			for (uint32_t k = g->at; k < g->count; k++)
				if (!look(p, &g->samples[k], ctx))
					return;
}

static bool look_once(struct tfr_pipeline *p, const struct tfr_feed_sample *s, void *ctx)
{
	look_at(p, s, ctx);
	return true;
}

/* The first error of a file that gave nothing at all, when no file gave anything. */
static enum tfr_status nothing_to_feed(const struct tfr_pipeline *p, struct tfr_error *err)
{
	for (uint32_t i = 0; i < p->source.count; i++) {
		const struct tfr_file_reader *r = &p->source.readings[i];

		if (r->ended && r->status != TFR_END) {
			if (err)
				*err = r->err;
			return r->status;
		}
	}
	return tfr_fail(err, TFR_EDATA, "no records to feed");
}

enum tfr_status tfr_first_records_read(
	struct tfr_pipeline *p, struct tfr_first_records *f, struct tfr_error *err)
{
	enum tfr_status status;

	pthread_mutex_lock(&p->lock);
	status = await_sample(p, err);
	for (uint32_t i = 0; i < p->source.count; i++)
		f->compressed |= p->source.readings[i].compressed;
	if (status == TFR_OK) {
		each_record(p, look_once, f);
		if (!f->records)
			status = nothing_to_feed(p, err);
	}
	pthread_mutex_unlock(&p->lock);
	if (f->images) {
		double side = sqrt((double)f->pixels / (double)f->images);

		f->mean_width = f->mean_height = (uint32_t)side;
	}
	return status;
}

struct sampling {
	struct tfr_batch_parser *parser;
	uint64_t seen, good;
	enum tfr_status status;
	struct tfr_error *err;
	const struct tfr_feed_sample *bad;
};

static bool parse_one(struct tfr_pipeline *p, const struct tfr_feed_sample *s, void *ctx)
{
	struct sampling *k = ctx;
	struct tfr_bytes record = { s->data, s->size };
	enum tfr_status status;

	(void)p;
	/* Columns of views cannot be made record by record: each is a batch at first. */
	status = tfr_batch_parse(k->parser, &record, 1, k->status ? NULL : k->err);
	if (status == TFR_OK) {
		k->good++;
	} else if (!k->status) {
		k->status = status;
		k->bad = s;
		if (k->err)
			tfr_feature_error_alone(k->err->message);
	}
	return ++k->seen < SAMPLE_MOST;
}

/* The good ones of the first records. */
struct gathering {
	struct tfr_batch_parser *parser;
	struct tfr_bytes records[SAMPLE_MOST];
	size_t count;
};

static bool gather(struct tfr_pipeline *p, const struct tfr_feed_sample *s, void *ctx)
{
	struct gathering *g = ctx;
	struct tfr_bytes record = { s->data, s->size };

	(void)p;
	if (tfr_batch_parse(g->parser, &record, 1, NULL) == TFR_OK)
		g->records[g->count++] = record;
	return g->count < SAMPLE_MOST;
}

static enum tfr_status guess(struct tfr_pipeline *p, struct tfr_first_records *f,
	struct tfr_batch_parser *parser, struct tfr_error *err)
{
	struct gathering *g = calloc(1, sizeof(*g));
	enum tfr_status status;

	if (!g)
		return tfr_fail_nomem(err, "looking at the first records");
	g->parser = parser;
	each_record(p, gather, g);
	status = tfr_batch_parse(parser, g->records, g->count, err);
	if (status == TFR_OK)
		f->tfr_feature_block_bytes = tfr_feature_block_guess(p->features, parser, p->batch);
	free(g);
	return status;
}

enum tfr_status tfr_first_records_parse(
	struct tfr_pipeline *p, struct tfr_first_records *f, struct tfr_error *err)
{
	struct sampling k = { .err = err };
	enum tfr_status status = tfr_feature_block_parser(p->features, &k.parser, err);

	if (status)
		return status;
	pthread_mutex_lock(&p->lock);
	each_record(p, parse_one, &k);
	if (k.good) {
		status = guess(p, f, k.parser, err);
	} else {
		status = k.status;
		if (k.bad && status == TFR_EDATA)
			tfr_error_locate(err, tfr_set_path(p->opts.set, k.bad->file), k.bad->record,
				k.bad->offset);
	}
	pthread_mutex_unlock(&p->lock);
	tfr_batch_parser_free(k.parser);
	return status;
}
