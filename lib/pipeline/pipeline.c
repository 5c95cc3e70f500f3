/* pipeline/pipeline.c - a feed from its options to its end.
 *
 * Opening starts the readers, looks at what they read, settles the list and the plan, then starts
 * the uploaders and the workers; closing stops all of them and joins them. */
#include <assert.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "pipeline/parts.h"

/* From here on, the figures of images are those of audio clips. */
static void use_audio(struct tfr_first_records *f)
{
	const struct tfr_first_clips *s = &f->clips;

	f->images = s->measured;
	f->pixels = s->samples;
	f->widths = f->heights = f->most_pixels = 0;
	f->mean_width = f->mean_height = 0;
}

/* Settles everything that depends on the records. */
static enum tfr_status settle(
	struct tfr_pipeline *p, const struct tfr_feed_context *feed, struct tfr_error *err)
{
	struct tfr_first_records f = { 0 };

	TFR_TRY(tfr_first_records_read(p, &f, err));
	TFR_TRY(tfr_feed_options_settle(p->set, &f, err));
	if (tfr_feeds_audio(p->set))
		use_audio(&f);
	if (p->set->features)
		TFR_TRY(tfr_first_records_parse(p, &f, err));
	TFR_TRY(tfr_transfer_new(&p->transfer, feed, err));
	TFR_TRY(tfr_flow_new(&p->flow, feed, p->source, p->transfer, err));
	return tfr_feed_plan(p, &f, err);
}

static enum tfr_status start(
	struct tfr_pipeline *p, const struct tfr_pipeline_opts *opts, struct tfr_error *err)
{
	struct tfr_feed_context feed;

	tfr_feed_control_init(&p->control, opts);
	tfr_sample_pool_init(&p->pool, (opts->memory ? opts->memory : 1ull << 30) / 64);
	p->set = calloc(1, sizeof(*p->set));
	if (!p->set)
		return tfr_fail_nomem(err, "starting a feed");
	p->set->opts = *opts;
	TFR_TRY(tfr_statistics_new(&p->statistics, p->set, err));
	tfr_statistics_watch(p->statistics, &p->consumer_span);
	TFR_TRY(tfr_feed_options_check(p->set, err));
	feed = (struct tfr_feed_context){ p->set, &p->control, p->statistics, &p->pool };
	TFR_TRY(tfr_record_source_open(&p->source, &feed, err));
	TFR_TRY(settle(p, &feed, err));
	TFR_TRY(tfr_transfer_start(
		p->transfer, p->set->opts.threads + tfr_record_source_readers(p->source), err));
	return tfr_flow_start(p->flow, err);
}

enum tfr_status tfr_pipeline_open(
	struct tfr_pipeline **out, const struct tfr_pipeline_opts *opts, struct tfr_error *err)
{
	struct tfr_pipeline *p = calloc(1, sizeof(*p));
	enum tfr_status status;

	if (!p)
		return tfr_fail_nomem(err, "starting a feed");
	status = start(p, opts, err);
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
	free(p->statistics);
	tfr_feed_control_clear(&p->control);
	if (p->set)
		tfr_feed_options_clear(p->set);
	free(p->set);
	tfr_sample_pool_clear(&p->pool);
	free(p);
}

/* ---- the consumer: what it waits for, and what ends the feed ---- */

/* How often a waiting consumer looks whether it is to stop. */
#define LOOK_NS 20000000u

/* The stage that waits, seen from the end of the list: the last one that nothing comes to. */
enum tfr_status tfr_feed_stalled(struct tfr_pipeline *p, struct tfr_error *err)
{
	const struct tfr_feed_settings *set = p->set;
	const char *path = tfr_record_source_waits_for(p->source);

	TFR_TRY(p->transfer ? tfr_transfer_stalled(p->transfer, err) : TFR_OK);
	if (path)
		tfr_fail_path(err, TFR_ESYS, path, "nothing moved for %g s: stage '%s' waits for",
			set->opts.stall_timeout, "read");
	else
		tfr_fail(err, TFR_ESYS, "nothing moved for %g s: stage '%s' waits",
			set->opts.stall_timeout,
			set->list.at[p->flow ? tfr_flow_waiting_row(p->flow) : 0].row->name);
	return tfr_feed_timed_out(err);
}

static bool is_stalled(struct tfr_pipeline *p, uint64_t now)
{
	uint64_t moves = p->control.moves;

	if (moves != p->moves_seen || !p->moved_ns) {
		p->moves_seen = moves;
		p->moved_ns = now;
	}
	return p->set->opts.stall_timeout > 0 &&
	       (double)(now - p->moved_ns) * 1e-9 >= p->set->opts.stall_timeout;
}

/* An epoch that a fault cut short does not count. */
static enum tfr_status end_of_feed(struct tfr_pipeline *p, struct tfr_error *err)
{
	enum tfr_status fault = tfr_record_source_fault(p->source, err);
	uint64_t epochs = tfr_flow_epochs(p->flow);

	p->statistics->epochs = epochs - (fault && epochs);
	return fault ? fault : TFR_END;
}

static bool out_of_time(const struct tfr_pipeline *p, uint64_t now)
{
	return p->set->opts.seconds > 0 &&
	       tfr_statistics_seconds(p->statistics, now) >= p->set->opts.seconds;
}

/* Waits until there is a batch (TFR_OK) or will be none. */
static enum tfr_status await_batch(struct tfr_pipeline *p, struct tfr_error *err)
{
	p->moved_ns = 0;
	for (;;) {
		uint64_t now = tfr_clock_ns();

		if (p->control.failed && err)
			*err = p->control.failure;
		if (p->control.failed)
			return p->control.failed;
		if (p->set->opts.cancelled && p->set->opts.cancelled(p->set->opts.ctx))
			return tfr_fail(err, TFR_ECANCELLED, "cancelled");
		if (out_of_time(p, now))
			return TFR_END;
		if (tfr_transfer_has_batch(p->transfer))
			return TFR_OK;
		if (tfr_transfer_all_delivered(p->transfer))
			return end_of_feed(p, err);
		if (is_stalled(p, now))
			return tfr_feed_stalled(p, err);
		tfr_feed_consumer_wait(&p->control, now + LOOK_NS);
	}
}

static void deliver(struct tfr_pipeline *p, struct tfr_batch *batch, uint64_t waited_since)
{
	uint64_t now = tfr_clock_ns();
	uint64_t payload_bytes = tfr_transfer_deliver(p->transfer, batch);

	batch->index = p->statistics->batches;
	tfr_statistics_delivered(p->statistics, batch, payload_bytes, now - waited_since, now);
}

enum tfr_status tfr_pipeline_next(
	struct tfr_pipeline *p, struct tfr_batch *batch, struct tfr_error *err)
{
	uint64_t steps = p->set->opts.steps, start = tfr_clock_ns();
	enum tfr_status status = TFR_END;

	pthread_mutex_lock(&p->control.lock);
	tfr_span_end(&p->consumer_span);
	tfr_statistics_charge(p->statistics, &p->consumer_span, p->set->rows, TFR_ACCOUNT_STARVED);
	tfr_transfer_ask(p->transfer, true);
	if (!steps || p->statistics->batches < steps)
		status = await_batch(p, err);
	tfr_transfer_ask(p->transfer, false);
	tfr_span_end(&p->consumer_span);
	if (status == TFR_OK) {
		tfr_statistics_charge(
			p->statistics, &p->consumer_span, p->set->rows, TFR_ACCOUNT_BUSY);
		deliver(p, batch, start);
	}
	pthread_mutex_unlock(&p->control.lock);
	return status;
}

void tfr_pipeline_release(struct tfr_pipeline *p, const struct tfr_batch *batch)
{
	pthread_mutex_lock(&p->control.lock);
	tfr_transfer_release(p->transfer, batch);
	pthread_mutex_unlock(&p->control.lock);
}

enum tfr_status tfr_pipeline_take(
	struct tfr_pipeline *p, const struct tfr_batch *batch, void **memory, struct tfr_error *err)
{
	if (!p->set->uploads || p->set->opts.steps_per_transfer != 1 ||
		!tfr_device_in_process(p->set->opts.devices[batch->device]))
		return tfr_fail(err, TFR_EUNAVAILABLE,
			"the memory of a batch can be taken only from a device in the process, and "
			"with one batch per transfer");
	pthread_mutex_lock(&p->control.lock);
	*memory = tfr_transfer_take(p->transfer, batch);
	pthread_mutex_unlock(&p->control.lock);
	return TFR_OK;
}

void tfr_batch_memory_free(void *memory)
{
	free(memory);
}

/* ---- reports ---- */

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
