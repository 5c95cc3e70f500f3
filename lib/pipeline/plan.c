/* pipeline/plan.c - where the memory goes, settled before anything runs.
 *
 * The first records are read ahead as they would be anyway (first_records.c); their sizes, and the
 * sizes of the images in them, are what the plan is made of.  What cannot fit is refused here, with
 * the sizes; what is left over is headroom for records larger than the first ones. */
#include <stdio.h>

#include "base/error.h"
#include "pipeline/plan.h"
#include "pipeline/state.h"

enum {
	MIB = 1 << 20,
	GRAIN_MOST = 256,
	GRAIN_LEAST = 4,
	GRAIN_BYTES = 256 << 10,
	SLOTS_MOST = 64,
	MORE = 12
};

/* What this process takes before it feeds anything: code, libraries, stacks. */
#define PROCESS_BYTES (10ull * MIB)

static uint64_t mean_footprint(const struct tfr_first_records *f)
{
	return f->footprint / f->records + 1;
}

/* What a sample takes behind each node: a record's, or the pixels' of the last recipe before it. */
static uint64_t sample_bytes(const struct tfr_first_records *f, const struct tfr_flow_node *n)
{
	struct tfr_image_form form;

	for (; n; n = n->up)
		if (n->decodes && n->kind == NODE_MAP)
			break;
	if (!n)
		return mean_footprint(f);
	form = n->recipe.form;
	if (!form.fixed) { /* as large as the images are, or the sounds */
		form.height = 1;
		form.width = (uint32_t)(f->pixels / (f->images ? f->images : 1)) + 1;
	}
	return tfr_sample_pixels_bytes(&form) +
	       (n->recipe.masks ? tfr_sample_footprint(tfr_image_form_bytes(&form) / form.channels)
				: 0);
}

/* How many samples a job takes, and how many jobs may be under way or waiting: what is large goes
 * one by one. */
static void size_node(
	struct tfr_pipeline *p, const struct tfr_first_records *f, struct tfr_flow_node *n)
{
	uint64_t bytes = sample_bytes(f, n), records = sample_bytes(f, n->up);
	uint64_t grain = GRAIN_BYTES / (bytes > records ? bytes : records);

	if (n->kind == NODE_MAP && n->decodes)
		grain = grain < 1 ? 1 : grain < 8 ? grain : 8;
	else
		grain = grain < GRAIN_LEAST ? GRAIN_LEAST : grain < GRAIN_MOST ? grain : GRAIN_MOST;
	n->grain = (unsigned)grain;
	n->slot_count = p->opts.threads + 2;
	if (n->kind == NODE_PREFETCH)
		n->slot_count = n->most < SLOTS_MOST ? (unsigned)n->most + 2 : SLOTS_MOST;
}

static uint64_t copies_of(const struct tfr_flow_node *n)
{
	return n->decodes ? n->recipe.copies : 1;
}

/* What waits between the nodes. */
static uint64_t queue_need(const struct tfr_pipeline *p, const struct tfr_first_records *f)
{
	uint64_t bytes = 0;

	for (unsigned i = 1; i < p->node_count; i++) {
		const struct tfr_flow_node *n = &p->nodes[i];
		uint64_t items =
			n->most ? n->most : (uint64_t)n->slot_count * n->grain * copies_of(n);

		if (n->kind < NODE_PLACE && n->kind != NODE_SHUFFLE)
			bytes += items * (sample_bytes(f, n) + sizeof(void *));
	}
	return bytes + p->opts.threads * sample_bytes(f, tfr_flow_last_const(p)->up);
}

/* Files smaller than the buffer bound it; two epochs may be in it at once.  What compressed files
 * hold is not known. */
static uint64_t shuffle_need(const struct tfr_pipeline *p, const struct tfr_first_records *f,
	const struct tfr_flow_node *n)
{
	uint64_t each = sample_bytes(f, n), records = n->shuffle.shuffler.capacity;
	uint64_t all = tfr_set_bytes(p->opts.set), most;

	if (all && !f->compressed) {
		most = all / (f->bytes / f->records + 1) + 1;
		for (const struct tfr_flow_node *up = n; up; up = up->up)
			most *= copies_of(up);
		most += most / 4 + MIB / each + 1;
		if (p->opts.epochs != 1)
			most *= 2;
		records = records < most ? records : most;
	}
	return records * each + n->shuffle.shuffler.capacity * sizeof(struct tfr_shuffled);
}

/* What a cache in memory is to hold, as far as can be known: not of compressed files. */
static uint64_t cache_need(const struct tfr_pipeline *p, const struct tfr_first_records *f,
	const struct tfr_flow_node *n)
{
	uint64_t records =
		tfr_set_bytes(p->opts.set) / (f->bytes / f->records + TFR_RECORD_OVERHEAD);
	uint64_t each = sample_bytes(f, n) - sizeof(struct tfr_feed_sample) +
			tfr_sample_cache_entry_bytes();

	if (sample_bytes(f, n) == mean_footprint(f)) /* records lie close */
		each = f->bytes / f->records + 16 + tfr_sample_cache_entry_bytes();
	for (const struct tfr_flow_node *up = n; up; up = up->up)
		records *= copies_of(up);
	return records * each + 4 * MIB;
}

/* Records that a batch with features holds until it is complete, of all that are under way. */
static uint64_t held_records(const struct tfr_pipeline *p, const struct tfr_first_records *f)
{
	if (p->images && !p->features)
		return 0;
	return p->batches_rows ? p->batch * mean_footprint(f) : 0;
}

/* Each worker has an image as they mostly are, and one of them the largest.  A executor refuses
 * what needs more than a quarter of the memory: a single giant does not keep all others from being
 * fed.
 */
static uint64_t scratch_need(const struct tfr_pipeline *p, const struct tfr_first_records *f)
{
	uint64_t mean = f->pixels / (f->images ? f->images : 1) * 3, most = f->most_pixels * 3;
	uint64_t others = 0;

	if (tfr_feeds_audio(p)) /* a block of samples */
		return p->opts.threads * (uint64_t)MIB;
	if (most > p->opts.memory / 4)
		most = p->opts.memory / 4;
	if (mean > most)
		mean = most;
	for (unsigned i = 1; i < p->node_count; i++)
		if (p->nodes[i].decodes)
			others += tfr_recipe_scratch(
				&p->nodes[i].recipe, f->mean_width, f->mean_height);
	return p->opts.threads * (mean + others + MIB) + most - mean;
}

static uint64_t payload_batch_bytes(const struct tfr_pipeline *p, const struct tfr_first_records *f)
{
	uint64_t mean = f->bytes / f->records + 1;

	return p->batch * (mean + mean / 4) + f->largest + (p->batch + 1) * sizeof(uint64_t);
}

static void plan_batches(struct tfr_pipeline *p, const struct tfr_first_records *f)
{
	struct tfr_pipeline_plan *plan = &p->plan;
	uint64_t steps = p->opts.steps_per_transfer;
	uint64_t records = 0;

	if (p->features)
		records = f->tfr_feature_block_bytes;
	else if (!p->images)
		records = payload_batch_bytes(p, f);
	tfr_batch_layout_make(p, records);
	plan->batch_bytes = p->batches_rows ? p->layout.bytes : 0;
	plan->transfer_bytes =
		p->batches_rows ? p->layout.stride * (steps - 1) + p->layout.bytes : 0;
	if (p->opts.normalise_on_device) {
		p->made_at = (plan->transfer_bytes + 255) / 256 * 256;
		p->made_bytes = steps * p->batch * p->layout.image_bytes * sizeof(float);
	}
}

static void plan_nodes(struct tfr_pipeline *p, const struct tfr_first_records *f)
{
	struct tfr_pipeline_plan *plan = &p->plan;

	for (unsigned i = 1; i < p->node_count; i++) {
		struct tfr_flow_node *n = &p->nodes[i];

		size_node(p, f, n);
		if (n->kind == NODE_SHUFFLE) {
			n->least = n->shuffle.shuffler.capacity;
			plan->shuffle_bytes += shuffle_need(p, f, n);
			if (n->shuffle.shuffler.capacity > plan->shuffle)
				plan->shuffle = n->shuffle.shuffler.capacity;
		}
		if (n->kind == NODE_CACHE && !p->list.at[n->row].file)
			plan->cache_bytes += cache_need(p, f, n);
	}
	plan->queue_bytes = queue_need(p, f);
}

/* What a batch of sounds is of. */
static void plan_form(struct tfr_pipeline *p)
{
	struct tfr_pipeline_plan *plan = &p->plan;

	if (!tfr_feeds_audio(p))
		return;
	plan->sound_rate = p->list.at[tfr_stage_list_find(&p->list, STAGE_DECODE)].rate;
	if (!p->layout.images)
		return;
	plan->sound_samples = p->layout.image.width;
	plan->sound_channels = p->layout.image.channels;
}

void tfr_first_records_use_audio(struct tfr_first_records *f)
{
	const struct tfr_first_clips *s = &f->sounds;

	f->images = s->measured;
	f->pixels = s->samples;
	f->widths = f->heights = f->most_pixels = 0;
	f->mean_width = f->mean_height = 0;
}

static void fill_plan(struct tfr_pipeline *p, const struct tfr_first_records *f)
{
	struct tfr_pipeline_plan *plan = &p->plan;
	uint64_t idle = (uint64_t)p->blocks.idle_most * p->source.block_size;

	plan->limit = p->opts.memory;
	plan->record_bytes = f->bytes / f->records;
	plan->image_width = f->images ? (uint32_t)(f->widths / f->images) : 0;
	plan->image_height = f->images ? (uint32_t)(f->heights / f->images) : 0;
	plan_form(p);
	plan->read_bytes =
		p->source.count * (p->source.budget + 3 * p->source.block_size + 2 * f->largest) +
		p->store.idle_limit + idle;
	plan->scratch_bytes = p->images ? scratch_need(p, f) : 0;
	plan->device_counted = p->uploads && tfr_device_in_process(p->opts.devices[0]);
}

static uint64_t total_with(struct tfr_pipeline *p, const struct tfr_first_records *f,
	unsigned staging, unsigned device)
{
	struct tfr_pipeline_plan *plan = &p->plan;
	uint64_t uploaders = p->uploads ? p->opts.device_count : 1, batches = 0;
	uint64_t target = p->made_bytes ? p->made_at + p->made_bytes : plan->transfer_bytes;

	plan->staging = staging;
	plan->device = device;
	if (p->batches_rows) {
		batches = staging * plan->transfer_bytes;
		if (plan->device_counted)
			batches += device * target;
		if (p->opts.verify)
			batches += target;
		batches += staging * p->opts.steps_per_transfer * held_records(p, f);
	}
	plan->total = PROCESS_BYTES + plan->shuffle_bytes + plan->cache_bytes + plan->queue_bytes +
		      plan->read_bytes + plan->scratch_bytes + uploaders * batches;
	return plan->total;
}

static enum tfr_status refuse(const struct tfr_pipeline *p, struct tfr_error *err)
{
	const struct tfr_pipeline_plan *plan = &p->plan;
	char total[TFR_SIZE_TEXT], limit[TFR_SIZE_TEXT], shuffle[TFR_SIZE_TEXT],
		batch[TFR_SIZE_TEXT], cache[TFR_SIZE_TEXT], text[100] = "";
	char record[TFR_SIZE_TEXT], rest[TFR_SIZE_TEXT];
	unsigned uploaders = p->uploads ? p->opts.device_count : 1;
	unsigned buffers = uploaders * (plan->staging + (plan->device_counted ? plan->device : 0));
	uint64_t fixed = plan->total - plan->shuffle_bytes,
		 each = plan->shuffle ? plan->shuffle_bytes / plan->shuffle + 1 : 1;

	if (plan->cache_bytes)
		snprintf(text, sizeof(text), "cache %s, ",
			tfr_format_size(plan->cache_bytes, cache));
	tfr_fail(err, TFR_ENOMEM,
		"needs %s of memory, %s are allowed: shuffle buffer %s (%llu records of %s), %s"
		"batches %u x %s, the rest %s",
		tfr_format_size(plan->total, total), tfr_format_size(plan->limit, limit),
		tfr_format_size(plan->shuffle_bytes, shuffle), (unsigned long long)plan->shuffle,
		tfr_format_size(plan->record_bytes, record), text, buffers,
		tfr_format_size(plan->transfer_bytes, batch),
		tfr_format_size(fixed - plan->cache_bytes - buffers * plan->transfer_bytes, rest));
	if (plan->cache_bytes > plan->limit / 4)
		tfr_error_hint(err, "Cache in a file, cache=FILE, or raise --memory to %lluM.",
			(unsigned long long)(plan->total / MIB + 1));
	else if (plan->shuffle && fixed + 16 * each < plan->limit)
		tfr_error_hint(err, "Lower --shuffle-buffer to %llu, or raise --memory to %lluM.",
			(unsigned long long)((plan->limit - fixed) / each),
			(unsigned long long)(plan->total / MIB + 1));
	else
		tfr_error_hint(err, "Lower --batch or %s, or raise --memory to %lluM.",
			tfr_feeds_audio(p) ? "the samples of a sound" : "--size",
			(unsigned long long)(plan->total / MIB + 1));
	return TFR_ENOMEM;
}

/* Staging buffers that there must be: an image that becomes several may reach into more than one
 * batch. */
static unsigned least_staging(const struct tfr_pipeline *p)
{
	uint64_t copies = copies_of(tfr_flow_last_const(p)), steps = p->opts.steps_per_transfer;
	uint64_t ahead = (copies + p->batch - 2) / p->batch;
	uint64_t transfers = (ahead + steps - 1) / steps + 1;
	uint64_t uploaders = p->uploads ? p->opts.device_count : 1;

	return copies < 2 ? 1 : (unsigned)((transfers + uploaders - 1) / uploaders);
}

/* Batches of records are made in no time: several threads hand each of them on, and none should
 * wait for another to be woken.  Each worker makes one, and a few more wait, where they are small.
 */
static bool fits_records(struct tfr_pipeline *p, const struct tfr_first_records *f)
{
	unsigned each = p->opts.threads + 2;
	uint64_t less = total_with(p, f, each, 3);

	if (less <= p->plan.limit && total_with(p, f, each + MORE, MORE) <= p->plan.limit &&
		p->plan.total - less <= p->plan.limit / 16)
		return true;
	return total_with(p, f, each, 3) <= p->plan.limit / 2;
}

/* Buffers for batches: as many in flight as was asked for; else as many as fit, for one that is
 * filled, one that is sent and one that is used. */
static bool fits(struct tfr_pipeline *p, const struct tfr_first_records *f)
{
	static const unsigned choices[][2] = { { 3, 3 }, { 3, 2 }, { 2, 2 }, { 2, 1 }, { 1, 1 } };
	struct tfr_pipeline_plan *plan = &p->plan;
	unsigned least = least_staging(p);

	if (p->prefetch) {
		unsigned n = p->prefetch > least ? p->prefetch : least;

		return total_with(p, f, n, n) <= plan->limit;
	}
	if (tfr_flow_last_const(p)->kind == NODE_RECORDS && fits_records(p, f))
		return true;
	for (size_t i = 0; i < sizeof(choices) / sizeof(*choices); i++) {
		if (choices[i][0] < least)
			continue;
		if (total_with(p, f, choices[i][0], choices[i][1]) <= plan->limit)
			return true;
	}
	return least > 3 && total_with(p, f, least, least) <= plan->limit;
}

/* Shuffles count payloads, or pixels: what share they are of what is taken. */
static double payload_share(const struct tfr_first_records *f, uint64_t bytes)
{
	return bytes == mean_footprint(f) ? (double)f->bytes / (double)f->footprint : 0.95;
}

/* What is left over goes to the shuffles, by their need. */
static void share_room(struct tfr_pipeline *p, const struct tfr_first_records *f)
{
	uint64_t room = p->plan.limit - p->plan.total;

	for (unsigned i = 1; i < p->node_count; i++) {
		struct tfr_flow_node *n = &p->nodes[i];

		if (n->kind == NODE_SHUFFLE) {
			uint64_t own = shuffle_need(p, f, n);
			double all = (double)room * (double)own / (double)p->plan.shuffle_bytes +
				     (double)own;

			n->shuffle.shuffler.byte_limit =
				(uint64_t)(all * payload_share(f, sample_bytes(f, n)));
		}
		if (n->kind == NODE_CACHE)
			tfr_sample_cache_limit(
				n->cache, p->plan.cache_bytes + (p->plan.shuffle_bytes ? 0 : room));
	}
}

enum tfr_status tfr_feed_plan(
	struct tfr_pipeline *p, const struct tfr_first_records *f, struct tfr_error *err)
{
	plan_nodes(p, f);
	plan_batches(p, f);
	fill_plan(p, f);
	if (!fits(p, f))
		return refuse(p, err);
	share_room(p, f);
	return TFR_OK;
}
