/* pipeline/plan.c - divides the memory before anything runs.
 *
 * The plan is made from the sizes of the first records and of the images in them
 * (first_records.c).  A feed that cannot fit is refused here, with the sizes; memory that is
 * left over is headroom for larger records. */
#include <assert.h>
#include <stdio.h>

#include <tfr-private/text.h>

#include "base/error.h"
#include "pipeline/parts.h"

/* Batches of records that are kept in flight: as many as make IN_FLIGHT bytes. */
enum { MIB = 1 << 20, MORE = 12, DEEP = 64, IN_FLIGHT = 2 * MIB };

/* What this process takes before it feeds anything: code, libraries, stacks. */
#define PROCESS_BYTES (10ull * MIB)

/* Records that a batch with features holds until it is complete, of all that are under way. */
static uint64_t held_records(const struct tfr_pipeline *p, const struct tfr_first_records *f)
{
	if (p->set->images && !p->set->features)
		return 0;
	return p->set->batches ? p->set->batch * tfr_first_mean_footprint(f) : 0;
}

static uint64_t payload_batch_bytes(const struct tfr_pipeline *p, const struct tfr_first_records *f)
{
	uint64_t mean = f->bytes / f->records + 1;

	return p->set->batch * (mean + mean / 4) + f->largest +
	       (p->set->batch + 1) * sizeof(uint64_t);
}

static void plan_batches(struct tfr_pipeline *p, const struct tfr_first_records *f)
{
	uint64_t records = 0;

	if (p->set->features)
		records = f->features_bytes;
	else if (!p->set->images)
		records = payload_batch_bytes(p, f);
	tfr_transfer_plan(p->transfer, records, &p->set->plan);
}

/* The form of a batch of audio. */
static void plan_form(struct tfr_pipeline *p)
{
	const struct tfr_image_form *form = tfr_transfer_image_form(p->transfer);
	struct tfr_pipeline_plan *plan = &p->set->plan;

	if (!tfr_feeds_audio(p->set))
		return;
	plan->audio_rate = p->set->list.at[tfr_stage_list_find(&p->set->list, STAGE_DECODE)].rate;
	if (!form)
		return;
	plan->audio_samples = form->width;
	plan->audio_channels = form->channels;
}

static void fill_plan(struct tfr_pipeline *p, const struct tfr_first_records *f)
{
	struct tfr_pipeline_plan *plan = &p->set->plan;

	plan->limit = p->set->opts.memory;
	plan->record_bytes = f->bytes / f->records;
	plan->image_width = f->images ? (uint32_t)(f->widths / f->images) : 0;
	plan->image_height = f->images ? (uint32_t)(f->heights / f->images) : 0;
	plan_form(p);
	plan->read_bytes = tfr_record_source_bytes(p->source, f->largest) + p->pool.idle_limit;
	plan->device_counted = p->set->uploads && tfr_device_in_process(p->set->opts.devices[0]);
}

static uint64_t total_with(struct tfr_pipeline *p, const struct tfr_first_records *f,
	unsigned staging, unsigned device)
{
	struct tfr_pipeline_plan *plan = &p->set->plan;
	uint64_t devices = p->set->uploads ? p->set->opts.device_count : 1;

	plan->staging = staging;
	plan->device = device;
	plan->total = PROCESS_BYTES + plan->shuffle_bytes + plan->cache_bytes + plan->queue_bytes +
		      plan->read_bytes + plan->scratch_bytes +
		      devices * tfr_transfer_bytes(p->transfer, staging, device,
					plan->device_counted, held_records(p, f));
	return plan->total;
}

static enum tfr_status refuse(const struct tfr_pipeline *p, struct tfr_error *err)
{
	const struct tfr_pipeline_plan *plan = &p->set->plan;
	char total[TFR_SIZE_TEXT], limit[TFR_SIZE_TEXT], shuffle[TFR_SIZE_TEXT],
		batch[TFR_SIZE_TEXT], cache[TFR_SIZE_TEXT], text[100] = "";
	char record[TFR_SIZE_TEXT], rest[TFR_SIZE_TEXT];
	unsigned uploaders = p->set->uploads ? p->set->opts.device_count : 1;
	unsigned buffers = uploaders * (plan->staging + (plan->device_counted ? plan->device : 0));
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
		tfr_error_hint(err, "Lower --batch or %s, or raise --memory to %lluM.",
			tfr_feeds_audio(p->set) ? "the samples of a clip" : "--size",
			(unsigned long long)(plan->total / MIB + 1));
	return TFR_ENOMEM;
}

/* Staging buffers that there must be: an image that becomes several may reach into more than one
 * batch. */
static unsigned least_staging(const struct tfr_pipeline *p)
{
	uint64_t copies = tfr_flow_copies(p->flow), steps = p->set->opts.steps_per_transfer;
	uint64_t ahead = (copies + p->set->batch - 2) / p->set->batch;
	uint64_t transfers = (ahead + steps - 1) / steps + 1;
	uint64_t devices = p->set->uploads ? p->set->opts.device_count : 1;

	return copies < 2 ? 1 : (unsigned)((transfers + devices - 1) / devices);
}

/* A transfer costs its latency and some switches of threads, whatever its size: where it takes a
 * small part of the memory, more are kept in flight than the `device` buffers of the plan.  Images
 * take too long to decode for that to matter. */
static bool deepen(struct tfr_pipeline *p, const struct tfr_first_records *f, unsigned staging,
	unsigned device)
{
	struct tfr_pipeline_plan *plan = &p->set->plan;
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
	unsigned each = p->set->opts.threads + 2;

	return total_with(p, f, each, 3) <= p->set->plan.limit &&
	       (deepen(p, f, each, 3) || p->set->plan.total <= p->set->plan.limit / 2);
}

/* Buffers for batches: as many in flight as was asked for; else as many as fit, for one that is
 * filled, one that is sent and one that is used. */
static bool fits(struct tfr_pipeline *p, const struct tfr_first_records *f)
{
	static const unsigned choices[][2] = { { 3, 3 }, { 3, 2 }, { 2, 2 }, { 2, 1 }, { 1, 1 } };
	struct tfr_pipeline_plan *plan = &p->set->plan;
	unsigned least = least_staging(p);

	if (p->set->prefetch) {
		unsigned n = p->set->prefetch > least ? p->set->prefetch : least;

		return total_with(p, f, n, n) <= plan->limit;
	}
	if (tfr_flow_batches_records(p->flow) && fits_records(p, f))
		return true;
	for (size_t i = 0; i < sizeof(choices) / sizeof(*choices); i++)
		if (choices[i][0] >= least &&
			total_with(p, f, choices[i][0], choices[i][1]) <= plan->limit)
			return true;
	return least > 3 && total_with(p, f, least, least) <= plan->limit;
}

enum tfr_status tfr_feed_plan(
	struct tfr_pipeline *p, const struct tfr_first_records *f, struct tfr_error *err)
{
	struct tfr_pipeline_plan *plan = &p->set->plan;

	tfr_flow_plan(p->flow, f, plan);
	plan_batches(p, f);
	fill_plan(p, f);
	if (!fits(p, f))
		return refuse(p, err);
	assert(plan->total <= plan->limit);
	tfr_flow_share_room(p->flow, f, plan->limit - plan->total);
	return TFR_OK;
}
