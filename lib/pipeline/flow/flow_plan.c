/* pipeline/flow/flow_plan.c - how many samples the nodes hold, and what memory they take.
 *
 * The plan is made of the sizes of the first records and of the images in them. */
#include <assert.h>

#include "pipeline/flow/nodes.h"

enum {
	MIB = 1 << 20,
	JOB_SAMPLES_MAX = 256,
	JOB_SAMPLES_MIN = 4,
	JOB_BYTES = 256 << 10,
	/* Payloads that are copied as they come are at least so large, and as many go at a time. */
	PIECE_LEAST = 16 << 10,
	PIECE_BYTES = 512 << 10,
	SLOTS_MAX = 64,
};

static uint64_t mean_footprint(const struct tfr_first_records *f)
{
	return f->footprint / f->records + 1;
}

/* The memory of a sample after a node: that of a record, or of the pixels of the last recipe
 * before it. */
static uint64_t sample_bytes(const struct tfr_first_records *f, const struct tfr_flow_node *n)
{
	struct tfr_image_form form;

	for (; n; n = n->up)
		if (n->decodes && n->kind == NODE_MAP)
			break;
	if (!n)
		return mean_footprint(f);
	form = n->recipe.form;
	if (!form.fixed) { /* as large as the images are, or the audio */
		form.height = 1;
		form.width = (uint32_t)(f->pixels / (f->images ? f->images : 1)) + 1;
	}
	return tfr_sample_pixels_bytes(&form) +
	       (n->recipe.masks ? tfr_sample_footprint(tfr_image_form_bytes(&form) / form.channels)
				: 0);
}

/* Sets how many samples a job takes, and how many jobs may run or wait: large samples go one at
 * a time. */
static void size_node(
	struct tfr_flow *flow, const struct tfr_first_records *f, struct tfr_flow_node *n)
{
	uint64_t bytes = sample_bytes(f, n), records = sample_bytes(f, n->up);
	uint64_t samples = JOB_BYTES / (bytes > records ? bytes : records);

	if (n->kind == NODE_MAP && n->decodes)
		samples = samples < 1 ? 1 : samples < 8 ? samples : 8;
	else
		samples = samples < JOB_SAMPLES_MIN   ? JOB_SAMPLES_MIN
			  : samples < JOB_SAMPLES_MAX ? samples
						      : JOB_SAMPLES_MAX;
	if (n->kind == NODE_RECORDS) {
		n->pieces = !flow->set->features && records >= PIECE_LEAST;
		samples = records < PIECE_BYTES ? PIECE_BYTES / records : 1;
	}
	n->per_job = (unsigned)samples;
	n->slot_count = flow->set->opts.threads + 2;
	if (n->kind == NODE_PREFETCH)
		n->slot_count = n->most < SLOTS_MAX ? (unsigned)n->most + 2 : SLOTS_MAX;
}

/* What waits between the nodes. */
static uint64_t queue_need(const struct tfr_flow *flow, const struct tfr_first_records *f)
{
	uint64_t bytes = 0;

	for (unsigned i = 1; i < flow->node_count; i++) {
		const struct tfr_flow_node *n = &flow->nodes[i];
		uint64_t items =
			n->most ? n->most
				: (uint64_t)n->slot_count * n->per_job * tfr_flow_node_copies(n);

		if (n->kind < NODE_PLACE && n->kind != NODE_SHUFFLE)
			bytes += items * (sample_bytes(f, n) + sizeof(void *));
	}
	return bytes + flow->set->opts.threads * sample_bytes(f, tfr_flow_last_const(flow)->up);
}

/* A buffer never holds more than the files do; two epochs may be in it at once.  The contents of
 * compressed files are not known. */
static uint64_t shuffle_need(const struct tfr_flow *flow, const struct tfr_first_records *f,
	const struct tfr_flow_node *n)
{
	uint64_t each = sample_bytes(f, n), records = n->shuffler.capacity;
	uint64_t all = tfr_set_bytes(flow->set->opts.set), most;

	if (all && !f->compressed) {
		most = all / (f->bytes / f->records + 1) + 1;
		for (const struct tfr_flow_node *up = n; up; up = up->up)
			most *= tfr_flow_node_copies(up);
		most += most / 4 + MIB / each + 1;
		if (flow->set->opts.epochs != 1)
			most *= 2;
		records = records < most ? records : most;
	}
	return records * each + n->shuffler.capacity * sizeof(struct tfr_shuffled);
}

/* The memory of a cache, as far as it can be known: not for compressed files. */
static uint64_t cache_need(const struct tfr_flow *flow, const struct tfr_first_records *f,
	const struct tfr_flow_node *n)
{
	uint64_t records =
		tfr_set_bytes(flow->set->opts.set) / (f->bytes / f->records + TFR_RECORD_OVERHEAD);
	uint64_t each = sample_bytes(f, n) - sizeof(struct tfr_feed_sample) +
			tfr_sample_cache_entry_bytes();

	if (sample_bytes(f, n) == mean_footprint(f)) /* records are packed */
		each = f->bytes / f->records + 16 + tfr_sample_cache_entry_bytes();
	for (const struct tfr_flow_node *up = n; up; up = up->up)
		records *= tfr_flow_node_copies(up);
	return records * each + 4 * MIB;
}

/* Each worker has an image of the mean size, and one of them the largest.  An executor refuses
 * images that need more than a quarter of the memory, so that a single giant does not stop the
 * feed. */
static uint64_t scratch_need(const struct tfr_flow *flow, const struct tfr_first_records *f)
{
	uint64_t mean = f->pixels / (f->images ? f->images : 1) * 3, most = f->most_pixels * 3;
	uint64_t others = 0;

	if (tfr_feeds_audio(flow->set)) /* a block of samples */
		return flow->set->opts.threads * (uint64_t)MIB;
	if (most > flow->set->opts.memory / 4)
		most = flow->set->opts.memory / 4;
	if (mean > most)
		mean = most;
	for (unsigned i = 1; i < flow->node_count; i++)
		if (flow->nodes[i].decodes)
			others += tfr_recipe_scratch(
				&flow->nodes[i].recipe, f->mean_width, f->mean_height);
	return flow->set->opts.threads * (mean + others + MIB) + most - mean;
}

/* The share of their memory that samples count for in a shuffle buffer, which counts payloads or
 * pixels. */
static double payload_share(const struct tfr_first_records *f, uint64_t bytes)
{
	return bytes == mean_footprint(f) ? (double)f->bytes / (double)f->footprint : 0.95;
}

void tfr_flow_plan(
	struct tfr_flow *flow, const struct tfr_first_records *f, struct tfr_pipeline_plan *plan)
{
	assert(f->records);
	for (unsigned i = 1; i < flow->node_count; i++) {
		struct tfr_flow_node *n = &flow->nodes[i];

		size_node(flow, f, n);
		if (n->kind == NODE_SHUFFLE) {
			n->least = n->shuffler.capacity;
			plan->shuffle_bytes += shuffle_need(flow, f, n);
			if (n->shuffler.capacity > plan->shuffle)
				plan->shuffle = n->shuffler.capacity;
		}
		if (n->kind == NODE_CACHE)
			plan->cache_bytes += cache_need(flow, f, n);
	}
	plan->queue_bytes = queue_need(flow, f);
	plan->scratch_bytes = flow->set->images ? scratch_need(flow, f) : 0;
}

uint32_t tfr_flow_copies(const struct tfr_flow *flow)
{
	return tfr_flow_node_copies(tfr_flow_last_const(flow));
}

bool tfr_flow_batches_records(const struct tfr_flow *flow)
{
	return tfr_flow_last_const(flow)->kind == NODE_RECORDS;
}

/* The shuffle buffers share it by their need. */
void tfr_flow_share_room(struct tfr_flow *flow, const struct tfr_first_records *f, uint64_t room)
{
	const struct tfr_pipeline_plan *plan = &flow->set->plan;

	for (unsigned i = 1; i < flow->node_count; i++) {
		struct tfr_flow_node *n = &flow->nodes[i];

		if (n->kind == NODE_SHUFFLE) {
			uint64_t own = shuffle_need(flow, f, n);
			double all = (double)room * (double)own / (double)plan->shuffle_bytes +
				     (double)own;

			n->shuffler.byte_limit =
				(uint64_t)(all * payload_share(f, sample_bytes(f, n)));
		}
		if (n->kind == NODE_CACHE)
			tfr_sample_cache_limit(
				n->cache, plan->cache_bytes + (plan->shuffle_bytes ? 0 : room));
	}
}
