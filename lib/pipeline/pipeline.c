/* pipeline/pipeline.c - a feed from its options to its end, and the division of its memory.
 *
 * Opening starts the readers, looks at what they read, settles the list and the plan, then starts
 * the uploaders and the workers; closing stops all of them and joins them.
 *
 * A record's way: a reading thread verifies it and queues it as a sample of a chunk (source/).  A
 * worker takes it through the nodes of the flow, each a claim under the lock and work without it
 * (flow/).  It gets a place in a batch in staging memory (transfer/assemble.c).  A worker completes
 * the batch, an uploader sends it (transfer/uploader.c), and the consumer takes and releases it
 * (transfer/delivery.c).
 *
 * The plan is made from the sizes of the first records and of the images in them
 * (first_records.c).  A feed that cannot fit is refused, with the sizes; memory that is left over
 * is headroom for larger records. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include <tfr-private/text.h>

#include "base/clock.h"
#include "base/error.h"
#include "pipeline/first_records.h"
#include "pipeline/flow/flow.h"
#include "pipeline/report/statistics.h"
#include "pipeline/source/record_source.h"
#include "pipeline/transfer/transfer.h"

struct tfr_pipeline {
	struct tfr_settings settings;
	struct tfr_control control;
	struct tfr_statistics statistics;
	struct tfr_sample_pool pool;
	struct tfr_record_source *source;
	struct tfr_flow *flow;
	struct tfr_transfer *transfer;
	struct tfr_span consumer_span;
	uint64_t moves_seen, moved_ns; /* of the consumer: when something last moved */
};

/* ---- the plan ---- */

/* Batches of records that are kept in flight: as many as make IN_FLIGHT bytes. */
enum { MIB = 1 << 20, MORE = 12, DEEP = 64, IN_FLIGHT = 2 * MIB };

/* What this process takes before it feeds anything: code, libraries, stacks. */
#define PROCESS_BYTES (10ull * MIB)

/* Fills in everything but the numbers of buffers. */
static void fill_plan(struct tfr_pipeline *p, const struct tfr_first_records *f)
{
	const struct tfr_settings *settings = &p->settings;
	struct tfr_pipeline_plan *plan = &p->settings.plan;
	uint64_t mean = f->bytes / f->records + 1, records = 0;

	tfr_flow_plan(p->flow, f, plan);
	if (settings->features)
		records = f->features_bytes;
	else if (!settings->images) /* payloads and their offsets */
		records = settings->batch * (mean + mean / 4) + f->largest +
			  (settings->batch + 1) * sizeof(uint64_t);
	tfr_transfer_plan(p->transfer, records, plan);
	plan->limit = settings->opts.memory;
	plan->record_bytes = f->bytes / f->records;
	plan->image_width = f->images ? (uint32_t)(f->widths / f->images) : 0;
	plan->image_height = f->images ? (uint32_t)(f->heights / f->images) : 0;
	plan->audio_rate = settings->audio ? settings->decode->rate : 0;
	plan->read_bytes = tfr_record_source_bytes(p->source, f->largest) + p->pool.idle_limit;
	plan->device_counted =
		settings->uploads && tfr_device_in_process(settings->opts.devices[0]);
}

static uint64_t total_with(struct tfr_pipeline *p, const struct tfr_first_records *f,
	unsigned staging, unsigned device)
{
	const struct tfr_settings *settings = &p->settings;
	struct tfr_pipeline_plan *plan = &p->settings.plan;
	/* Records that a batch holds until it is complete, of all that are under way. */
	uint64_t held = settings->batches && (!settings->images || settings->features)
				? settings->batch * tfr_first_mean_footprint(f)
				: 0;

	plan->staging = staging;
	plan->device = device;
	plan->total = PROCESS_BYTES + plan->shuffle_bytes + plan->cache_bytes + plan->queue_bytes +
		      plan->read_bytes + plan->scratch_bytes +
		      settings->uploaders * tfr_transfer_bytes(p->transfer, staging, device,
						    plan->device_counted, held);
	return plan->total;
}

static enum tfr_status refuse_plan(const struct tfr_pipeline *p, struct tfr_error *err)
{
	const struct tfr_pipeline_plan *plan = &p->settings.plan;
	char total[TFR_SIZE_TEXT], limit[TFR_SIZE_TEXT], shuffle[TFR_SIZE_TEXT],
		batch[TFR_SIZE_TEXT], cache[TFR_SIZE_TEXT], text[100] = "";
	char record[TFR_SIZE_TEXT], rest[TFR_SIZE_TEXT];
	unsigned buffers =
		p->settings.uploaders * (plan->staging + (plan->device_counted ? plan->device : 0));
	uint64_t fixed = plan->total - plan->shuffle_bytes,
		 each = plan->shuffle ? plan->shuffle_bytes / plan->shuffle + 1 : 1;

	if (plan->cache_bytes)
		snprintf(text, sizeof(text), "cache %s, ",
			tfr_format_size(plan->cache_bytes, cache));
	tfr_fail(err, TFR_ENOMEM,
		"needs %s of memory, and the limit is %s: shuffle buffer %s (%llu records of %s), "
		"%s"
		"batches %u x %s, the rest %s",
		tfr_format_size(plan->total, total), tfr_format_size(plan->limit, limit),
		tfr_format_size(plan->shuffle_bytes, shuffle), (unsigned long long)plan->shuffle,
		tfr_format_size(plan->record_bytes, record), text, buffers,
		tfr_format_size(plan->transfer_bytes, batch),
		tfr_format_size(fixed - plan->cache_bytes - buffers * plan->transfer_bytes, rest));
	if (plan->cache_bytes > plan->limit / 4)
		tfr_error_hint(err, "Leave out the stage 'cache', or raise --memory to %lluM.",
			(unsigned long long)(plan->total / MIB + 1));
	else if (plan->shuffle && fixed + 16 * each < plan->limit)
		tfr_error_hint(err, "Lower --shuffle-buffer to %llu, or raise --memory to %lluM.",
			(unsigned long long)((plan->limit - fixed) / each),
			(unsigned long long)(plan->total / MIB + 1));
	else
		tfr_error_hint(err, "Lower --batch%s, or raise --memory to %lluM.",
			p->settings.audio		 ? " or the samples of a clip"
			: p->settings.opts.feature_count ? ""
							 : " or --size",
			(unsigned long long)(plan->total / MIB + 1));
	return TFR_ENOMEM;
}

/* Staging buffers that there must be: an image that becomes several may reach into more than one
 * batch. */
static unsigned least_staging(const struct tfr_pipeline *p)
{
	uint64_t copies = tfr_flow_copies(p->flow), steps = p->settings.opts.steps_per_transfer;
	uint64_t ahead = (copies + p->settings.batch - 2) / p->settings.batch;
	uint64_t transfers = (ahead + steps - 1) / steps + 1;
	uint64_t devices = p->settings.uploaders;

	return copies < 2 ? 1 : (unsigned)((transfers + devices - 1) / devices);
}

/* A transfer costs its latency and some switches of threads, whatever its size: where it takes a
 * small share of the memory, more are kept in flight than the `device` buffers of the plan.  Images
 * take too long to decode for that to matter. */
static bool fits_deeper(struct tfr_pipeline *p, const struct tfr_first_records *f, unsigned staging,
	unsigned device)
{
	struct tfr_pipeline_plan *plan = &p->settings.plan;
	uint64_t wanted = IN_FLIGHT / (plan->transfer_bytes + 1), fixed = plan->total;
	unsigned more;

	wanted = wanted < MORE ? MORE : wanted < DEEP ? wanted : DEEP;
	more = wanted > device ? (unsigned)wanted - device : 0;
	for (; more; more /= 2)
		if (total_with(p, f, staging + more, device + more) <= plan->limit &&
			plan->total - fixed <= plan->limit / 16)
			return true;
	total_with(p, f, staging, device);
	return false;
}

/* Batches of records are made in no time: several threads hand each of them on, and none should
 * wait for another to be woken.  Each worker makes one, and more wait, where they are small.
 */
static bool fits_records(struct tfr_pipeline *p, const struct tfr_first_records *f)
{
	unsigned each = p->settings.opts.threads + 2;

	return total_with(p, f, each, 3) <= p->settings.plan.limit &&
	       (fits_deeper(p, f, each, 3) || p->settings.plan.total <= p->settings.plan.limit / 2);
}

/* Buffers for batches: as many in flight as was asked for; else as many as fit, for one that is
 * filled, one that is sent and one that is used. */
static bool fits_memory(struct tfr_pipeline *p, const struct tfr_first_records *f)
{
	static const unsigned choices[][2] = { { 3, 3 }, { 3, 2 }, { 2, 2 }, { 2, 1 }, { 1, 1 } };
	struct tfr_pipeline_plan *plan = &p->settings.plan;
	unsigned least = least_staging(p);

	if (p->settings.prefetch) {
		unsigned n = p->settings.prefetch > least ? p->settings.prefetch : least;

		return total_with(p, f, n, n) <= plan->limit;
	}
	if (p->settings.batches && !p->settings.images && fits_records(p, f))
		return true;
	for (size_t i = 0; i < sizeof(choices) / sizeof(*choices); i++)
		if (choices[i][0] >= least &&
			total_with(p, f, choices[i][0], choices[i][1]) <= plan->limit)
			return true;
	return least > 3 && total_with(p, f, least, least) <= plan->limit;
}

static enum tfr_status settle_plan(
	struct tfr_pipeline *p, const struct tfr_first_records *f, struct tfr_error *err)
{
	struct tfr_pipeline_plan *plan = &p->settings.plan;

	fill_plan(p, f);
	if (!fits_memory(p, f))
		return refuse_plan(p, err);
	assert(plan->total <= plan->limit);
	tfr_flow_share_room(p->flow, f, plan->limit - plan->total);
	return TFR_OK;
}

/* ---- from open to close ---- */

/* Settles everything that depends on the records. */
static enum tfr_status settle_on_records(
	struct tfr_pipeline *p, const struct tfr_pipeline_context *feed, struct tfr_error *err)
{
	struct tfr_first_records f = { 0 };

	TFR_TRY(tfr_first_records_read(feed, &f, err));
	TFR_TRY(tfr_settings_settle(&p->settings, &f, err));
	if (p->settings.audio) { /* the figures of images are those of audio clips from here on */
		f.images = f.clips.measured;
		f.pixels = f.clips.samples;
		f.widths = f.heights = f.most_pixels = 0;
		f.mean_width = f.mean_height = 0;
	}
	if (p->settings.features)
		TFR_TRY(tfr_first_records_parse(feed, &f, err));
	TFR_TRY(tfr_transfer_new(&p->transfer, feed, err));
	TFR_TRY(tfr_flow_new(&p->flow, feed, p->transfer, err));
	return settle_plan(p, &f, err);
}

static enum tfr_status start_feed(
	struct tfr_pipeline *p, const struct tfr_pipeline_opts *opts, struct tfr_error *err)
{
	struct tfr_pipeline_context feed = { &p->settings, &p->control, &p->statistics, &p->pool };

	tfr_control_init(&p->control, opts);
	tfr_sample_pool_init(&p->pool, (opts->memory ? opts->memory : 1ull << 30) / 64);
	tfr_statistics_init(&p->statistics, &p->settings);
	tfr_statistics_watch(&p->statistics, &p->consumer_span);
	TFR_TRY(tfr_settings_init(&p->settings, opts, err));
	TFR_TRY(tfr_record_source_open(&p->source, &feed, err));
	feed.source = p->source;
	TFR_TRY(settle_on_records(p, &feed, err));
	TFR_TRY(tfr_transfer_start(
		p->transfer, p->settings.opts.threads + tfr_record_source_readers(p->source), err));
	return tfr_flow_start(p->flow, err);
}

enum tfr_status tfr_pipeline_open(
	struct tfr_pipeline **out, const struct tfr_pipeline_opts *opts, struct tfr_error *err)
{
	struct tfr_pipeline *p = calloc(1, sizeof(*p));
	enum tfr_status status;

	TFR_NEED_MEMORY(p, err, "starting a feed");
	status = start_feed(p, opts, err);
	if (status) {
		tfr_pipeline_close(p);
		return status;
	}
	*out = p;
	return TFR_OK;
}

/* The source is closed after the others: the samples that they hold look into its blocks. */
void tfr_pipeline_close(struct tfr_pipeline *p)
{
	if (!p)
		return;
	tfr_control_stop(&p->control);
	if (p->transfer)
		tfr_transfer_cut_short(p->transfer);
	if (p->flow)
		tfr_flow_stop(p->flow);
	if (p->transfer)
		tfr_transfer_stop(p->transfer);
	if (p->flow)
		tfr_flow_warn(p->flow);
	tfr_transfer_free(p->transfer);
	tfr_flow_free(p->flow);
	tfr_record_source_close(p->source);
	tfr_control_clear(&p->control);
	tfr_settings_clear(&p->settings);
	tfr_sample_pool_clear(&p->pool);
	free(p);
}

/* ---- the consumer: what it waits for, and what ends the feed ---- */

/* How often a waiting consumer looks whether it is to stop. */
#define LOOK_NS 20000000u

/* The stage that waits, seen from the end of the list: the last one that nothing comes to. */
static enum tfr_status fail_stalled(const struct tfr_pipeline *p, struct tfr_error *err)
{
	const char *path = tfr_record_source_waits_for(p->source);

	TFR_TRY(tfr_transfer_stalled(p->transfer, err));
	return tfr_control_stalled(
		&p->settings, path ? 0 : tfr_flow_waiting_row(p->flow), path, err);
}

static bool is_stalled(struct tfr_pipeline *p, uint64_t now)
{
	uint64_t moves = p->control.moves;

	if (moves != p->moves_seen || !p->moved_ns) {
		p->moves_seen = moves;
		p->moved_ns = now;
	}
	return p->settings.opts.stall_timeout > 0 &&
	       (double)(now - p->moved_ns) * 1e-9 >= p->settings.opts.stall_timeout;
}

/* An epoch that a fault cut short does not count. */
static enum tfr_status end_of_feed(struct tfr_pipeline *p, struct tfr_error *err)
{
	enum tfr_status fault = tfr_record_source_fault(p->source, err);
	uint64_t epochs = tfr_flow_epochs(p->flow);

	p->statistics.epochs = epochs - (fault && epochs);
	return fault ? fault : TFR_END;
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
		if (p->settings.opts.cancelled && p->settings.opts.cancelled(p->settings.opts.ctx))
			return tfr_fail(err, TFR_ECANCELLED, "cancelled");
		if (p->settings.opts.seconds > 0 &&
			tfr_statistics_seconds(&p->statistics, now) >= p->settings.opts.seconds)
			return TFR_END;
		if (tfr_transfer_find_batch(p->transfer))
			return TFR_OK;
		if (tfr_transfer_all_delivered(p->transfer))
			return end_of_feed(p, err);
		if (is_stalled(p, now))
			return fail_stalled(p, err);
		tfr_control_consumer_wait(&p->control, now + LOOK_NS);
	}
}

enum tfr_status tfr_pipeline_next(
	struct tfr_pipeline *p, struct tfr_batch *batch, struct tfr_error *err)
{
	uint64_t steps = p->settings.opts.steps, start = tfr_clock_ns(), now, payload_bytes;
	struct tfr_statistics *s = &p->statistics;
	enum tfr_status status = TFR_END;

	pthread_mutex_lock(&p->control.lock);
	tfr_span_end(&p->consumer_span);
	tfr_statistics_charge(s, &p->consumer_span, p->settings.rows, TFR_ACCOUNT_STARVED);
	tfr_transfer_ask(p->transfer, true);
	if (!steps || s->batches < steps)
		status = await_batch(p, err);
	tfr_transfer_ask(p->transfer, false);
	tfr_span_end(&p->consumer_span);
	if (status == TFR_OK) {
		tfr_statistics_charge(s, &p->consumer_span, p->settings.rows, TFR_ACCOUNT_BUSY);
		now = tfr_clock_ns();
		payload_bytes = tfr_transfer_deliver(p->transfer, batch);
		batch->index = s->batches;
		tfr_statistics_delivered(s, batch, payload_bytes, now - start, now);
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
	if (!p->settings.uploads || p->settings.opts.steps_per_transfer != 1 ||
		!tfr_device_in_process(p->settings.opts.devices[batch->device]))
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
	struct tfr_report_facts facts = { .readers = tfr_record_source_readers(p->source) };

	pthread_mutex_lock(&p->control.lock);
	tfr_statistics_report(&p->statistics, &facts, stats);
	stats->skipped = __atomic_load_n(&p->control.faults.faults, __ATOMIC_RELAXED);
	tfr_flow_report(p->flow, stats);
	tfr_transfer_report(p->transfer, &facts, stats);
	tfr_statistics_judge(&p->statistics, &facts, stats);
	pthread_mutex_unlock(&p->control.lock);
}

size_t tfr_pipeline_waits(struct tfr_pipeline *p, struct tfr_wait_bucket *buckets, size_t n)
{
	size_t count;

	pthread_mutex_lock(&p->control.lock);
	count = tfr_statistics_waits(&p->statistics, buckets, n);
	pthread_mutex_unlock(&p->control.lock);
	return count;
}

const struct tfr_pipeline_plan *tfr_pipeline_plan(const struct tfr_pipeline *p)
{
	return &p->settings.plan;
}

const char *tfr_pipeline_describe(const struct tfr_pipeline *p)
{
	return p->settings.description;
}
