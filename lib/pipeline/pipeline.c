/* pipeline/pipeline.c - a feed from its options to its end.
 *
 * Opening starts the readers, looks at what they read, settles the list and the plan, then starts
 * the uploaders and the workers; closing stops all of them and joins them. */
#include <stdlib.h>

#include "base/error.h"
#include "pipeline/parts.h"

/* Settles everything that depends on the records. */
static enum tfr_status settle(
	struct tfr_pipeline *p, const struct tfr_feed_context *feed, struct tfr_error *err)
{
	struct tfr_first_records f = { 0 };
	enum tfr_status status = tfr_first_records_read(p, &f, err);

	if (status == TFR_OK)
		status = tfr_feed_options_settle(p->set, &f, err);
	if (status == TFR_OK && tfr_feeds_audio(p->set))
		tfr_first_records_use_audio(&f);
	if (status == TFR_OK && p->set->features)
		status = tfr_first_records_parse(p, &f, err);
	if (status == TFR_OK)
		status = tfr_transfer_new(&p->transfer, feed, err);
	if (status == TFR_OK)
		status = tfr_flow_new(&p->flow, feed, p->source, p->transfer, err);
	return status ? status : tfr_feed_plan(p, &f, err);
}

static enum tfr_status start(struct tfr_pipeline *p, struct tfr_error *err)
{
	unsigned threads = p->set->opts.threads + tfr_record_source_readers(p->source);
	enum tfr_status status = tfr_transfer_start(p->transfer, threads, err);

	return status ? status : tfr_flow_start(p->flow, err);
}

/* The parts that all others need. */
static enum tfr_status begin(
	struct tfr_pipeline *p, const struct tfr_pipeline_opts *opts, struct tfr_error *err)
{
	enum tfr_status status;

	tfr_feed_control_init(&p->control, opts);
	tfr_sample_pool_init(&p->pool, (opts->memory ? opts->memory : 1ull << 30) / 64);
	p->set = calloc(1, sizeof(*p->set));
	if (!p->set)
		return tfr_fail_nomem(err, "starting a feed");
	p->set->opts = *opts;
	status = tfr_statistics_new(&p->statistics, p->set, err);
	if (status == TFR_OK)
		tfr_statistics_watch(p->statistics, &p->consumer_span);
	return status ? status : tfr_feed_options_check(p->set, err);
}

enum tfr_status tfr_pipeline_open(
	struct tfr_pipeline **out, const struct tfr_pipeline_opts *opts, struct tfr_error *err)
{
	struct tfr_pipeline *p = calloc(1, sizeof(*p));
	struct tfr_feed_context feed;
	enum tfr_status status;

	if (!p)
		return tfr_fail_nomem(err, "starting a feed");
	status = begin(p, opts, err);
	feed = (struct tfr_feed_context){ p->set, &p->control, p->statistics, &p->pool };
	if (status == TFR_OK)
		status = tfr_record_source_open(&p->source, &feed, err);
	if (status == TFR_OK)
		status = settle(p, &feed, err);
	if (status == TFR_OK)
		status = start(p, err);
	if (status) {
		tfr_pipeline_close(p);
		return status;
	}
	*out = p;
	return TFR_OK;
}

static void stop_threads(struct tfr_pipeline *p)
{
	tfr_feed_stop(&p->control);
	if (p->transfer)
		tfr_transfer_cut_short(p->transfer);
	if (p->flow)
		tfr_flow_stop(p->flow);
	if (p->transfer)
		tfr_transfer_stop(p->transfer);
}

/* The source is closed after the others: the samples that they hold look into its blocks. */
void tfr_pipeline_close(struct tfr_pipeline *p)
{
	if (!p)
		return;
	stop_threads(p);
	if (p->flow)
		tfr_flow_warn(p->flow);
	tfr_transfer_free(p->transfer);
	tfr_flow_free(p->flow);
	tfr_record_source_close(p->source);
	tfr_statistics_free(p->statistics);
	tfr_feed_control_clear(&p->control);
	if (p->set)
		tfr_feed_options_clear(p->set);
	free(p->set);
	tfr_sample_pool_clear(&p->pool);
	free(p);
}

void tfr_pipeline_stats(struct tfr_pipeline *p, struct tfr_pipeline_stats *stats)
{
	const struct tfr_image_form *form = tfr_transfer_image_form(p->transfer);
	struct tfr_feed_facts facts;

	pthread_mutex_lock(&p->control.lock);
	facts = (struct tfr_feed_facts){
		.readers = tfr_record_source_readers(p->source),
		.uploaders = tfr_transfer_uploaders(p->transfer),
		.skipped = __atomic_load_n(&p->control.faults.faults, __ATOMIC_RELAXED),
		.oldest_upload = tfr_transfer_oldest_upload(p->transfer),
		.image_dtype = form ? form->dtype : TFR_UINT8,
	};
	tfr_statistics_report(p->statistics, &facts, stats);
	tfr_flow_report(p->flow, stats);
	tfr_transfer_report(p->transfer, stats);
	tfr_statistics_judge(p->statistics, &facts, stats);
	pthread_mutex_unlock(&p->control.lock);
}

size_t tfr_pipeline_waits(struct tfr_pipeline *p, struct tfr_wait_bucket *buckets, size_t n)
{
	size_t count;

	pthread_mutex_lock(&p->control.lock);
	count = tfr_statistics_waits(p->statistics, buckets, n);
	pthread_mutex_unlock(&p->control.lock);
	return count;
}

const struct tfr_pipeline_plan *tfr_pipeline_plan(const struct tfr_pipeline *p)
{
	return &p->set->plan;
}

const char *tfr_pipeline_describe(const struct tfr_pipeline *p)
{
	return p->set->description;
}
