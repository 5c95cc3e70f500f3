/* pipeline/flow/flow_compile.c - the list of stages compiled into nodes; then how many samples the
 * nodes hold, and what memory they take, by the sizes of the first records and of the images in
 * them. */
#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "pipeline/first_records.h"
#include "pipeline/flow/flow.h"
#include "pipeline/flow/nodes.h"

static struct tfr_flow_node *add_node(
	struct tfr_flow *flow, enum tfr_node_kind kind, unsigned from, unsigned to)
{
	struct tfr_flow_node *n = &flow->nodes[flow->node_count++];

	assert(flow->node_count <= NODES_MAX && from <= to);
	*n = (struct tfr_flow_node){
		.kind = kind, .up = flow->last, .from = from, .to = to, .row = to ? to - 1 : 0
	};
	flow->last = n;
	return n;
}

static enum tfr_stage_kind kind_at(const struct tfr_flow *flow, unsigned i)
{
	return i < flow->settings->list.count ? flow->settings->list.at[i].kind : STAGE_KINDS;
}

/* parse, filter: from `i` on; returns the stage after them.  Records to be parsed by the batch are
 * not parsed twice. */
static unsigned compile_parsing(struct tfr_flow *flow, unsigned i)
{
	const struct tfr_settings *settings = flow->settings;
	struct tfr_flow_node *n = add_node(flow, NODE_MAP, i, i);

	for (; kind_at(flow, i) == STAGE_PARSE || kind_at(flow, i) == STAGE_FILTER; i++)
		if (kind_at(flow, i) == STAGE_PARSE) {
			n->parses |= !settings->features || settings->images;
			n->finds |= settings->images;
			n->finds_audio = settings->audio;
		} else {
			n->filters = true;
		}
	n->to = i;
	n->row = i - 1;
	if (!n->parses && !n->finds && !n->filters) {
		flow->last = n->up;
		flow->node_count--;
	}
	return i;
}

/* Samples that are held must not keep complete runs in memory: they are copied. */
static void keep_samples(struct tfr_flow *flow, struct tfr_flow_node *up, unsigned row)
{
	struct tfr_flow_node *keeper = up;

	if (up->kind == NODE_PREFETCH)
		keep_samples(flow, up->up, row);
	if (up->kind == NODE_SOURCE) /* workers copy, and no row but the shuffle's is theirs */
		keeper = add_node(flow, NODE_MAP, row, row);
	else if (up->kind != NODE_MAP)
		return;
	keeper->keeps = true;
	keeper->keeps_row = row;
}

static enum tfr_status compile_shuffle(
	struct tfr_flow *flow, unsigned i, uint64_t seed, struct tfr_error *err)
{
	uint64_t capacity = flow->settings->list.at[i].n;
	struct tfr_flow_node *n;

	keep_samples(flow, flow->last, i);
	n = add_node(flow, NODE_SHUFFLE, i, i + 1);
	if (capacity > UINT32_MAX)
		return tfr_fail(err, TFR_EUSAGE, "a shuffle buffer of %llu records is out of reach",
			(unsigned long long)capacity);
	tfr_shuffler_init(&n->shuffler, capacity, seed);
	TFR_NEED_MEMORY(tfr_shuffler_reserve(&n->shuffler), err, "making a shuffle buffer");
	return TFR_OK;
}

/* decode and images: from `i` on; right before batch they go straight to their places. */
static unsigned compile_images(struct tfr_flow *flow, unsigned i)
{
	struct tfr_recipe recipe;
	struct tfr_flow_node *n;

	tfr_recipe_init(&recipe, &flow->settings->list, i, flow->settings->opts.seed);
	n = add_node(flow, kind_at(flow, recipe.to) == STAGE_BATCH ? NODE_PLACE : NODE_MAP, i,
		recipe.to);
	n->decodes = true;
	n->recipe = recipe;
	return recipe.to;
}

/* Describes the images of a batch to the transfer: those of the last recipe. */
static enum tfr_status note_form(struct tfr_flow *flow, struct tfr_error *err)
{
	const struct tfr_flow_node *n = flow->last;
	const struct tfr_recipe *r;

	while (n && !n->decodes)
		n = n->up;
	if (!flow->settings->images || !n)
		return TFR_OK;
	r = &n->recipe;
	if (!r->form.fixed)
		return tfr_fail(err, TFR_EUSAGE,
			r->audio
				? "stage 'batch': its audio clips differ in length: crop before it"
				: "stage 'batch': its images differ in size: crop or resize before "
				  "it");
	tfr_transfer_set_images(
		flow->transfer, &r->form, r->masks ? &r->mask_form : NULL, r->audio);
	return TFR_OK;
}

static enum tfr_status compile_last(struct tfr_flow *flow, unsigned i, struct tfr_error *err)
{
	assert(flow->settings->batches == (kind_at(flow, i) == STAGE_BATCH));
	if (!flow->settings->batches) {
		add_node(flow, NODE_DROP, flow->settings->list.count, flow->settings->list.count);
		return TFR_OK;
	}
	if (flow->last->kind != NODE_PLACE)
		add_node(flow, flow->settings->images ? NODE_PLACE : NODE_RECORDS, i, i + 1);
	flow->last->row = i;
	TFR_TRY(note_form(flow, err));
	for (struct tfr_flow_node *n = flow->nodes; flow->settings->features && n <= flow->last;
		n++)
		if (n->kind == NODE_MAP && n->decodes) /* pixels have no features any more */
			return tfr_fail(err, TFR_EUSAGE,
				"features of a record are lost after stage '%s', which is not "
				"followed by batch",
				flow->settings->list.at[n->to - 1].text);
	return TFR_OK;
}

static enum tfr_status compile(struct tfr_flow *flow, struct tfr_error *err)
{
	unsigned i = 1;
	uint64_t shuffles = 0;

	if (kind_at(flow, i) == STAGE_INFLATE)
		i++;
	add_node(flow, NODE_SOURCE, 0, i);
	while (i < flow->settings->list.count && kind_at(flow, i) != STAGE_BATCH)
		switch (kind_at(flow, i)) {
		case STAGE_PARSE:
		case STAGE_FILTER:
			i = compile_parsing(flow, i);
			break;
		case STAGE_DECODE:
		case STAGE_IMAGE:
			i = compile_images(flow, i);
			break;
		case STAGE_SHUFFLE:
			TFR_TRY(compile_shuffle(
				flow, i++, flow->settings->opts.seed + shuffles++, err));
			break;
		case STAGE_CACHE:
			add_node(flow, NODE_CACHE, i, i + 1);
			i++;
			break;
		default:
			add_node(flow, NODE_PREFETCH, i, i + 1)->most =
				flow->settings->list.at[i].n;
			i++;
		}
	return compile_last(flow, i, err);
}

enum tfr_status tfr_flow_new(struct tfr_flow **out, const struct tfr_pipeline_context *feed,
	struct tfr_transfer *transfer, struct tfr_error *err)
{
	struct tfr_flow *flow = calloc(1, sizeof(*flow));

	*out = flow;
	TFR_NEED_MEMORY(flow, err, "starting a feed");
	flow->settings = feed->settings;
	flow->control = feed->control;
	flow->statistics = feed->statistics;
	flow->pool = feed->pool;
	flow->source = feed->source;
	flow->transfer = transfer;
	flow->epochs = feed->settings->opts.epochs;
	return compile(flow, err);
}

/* ---- the plan ---- */

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

/* The memory of a sample after a node: that of a record, or of the pixels of the last recipe
 * before it. */
static uint64_t sample_bytes(const struct tfr_first_records *f, const struct tfr_flow_node *n)
{
	struct tfr_image_form form;

	for (; n; n = n->up)
		if (n->decodes && n->kind == NODE_MAP)
			break;
	if (!n)
		return tfr_first_mean_footprint(f);
	form = n->recipe.form;
	if (!form.fixed) { /* as large as the images are, or the audio */
		form.height = 1;
		form.width = (uint32_t)(f->pixels / (f->images ? f->images : 1)) + 1;
	}
	return tfr_sample_pixels_bytes(&form, n->recipe.masks);
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
		n->pieces = !flow->settings->features && records >= PIECE_LEAST;
		samples = records < PIECE_BYTES ? PIECE_BYTES / records : 1;
	}
	n->per_job = (unsigned)samples;
	n->slot_count = flow->settings->opts.threads + 2;
	if (n->kind == NODE_PREFETCH)
		n->slot_count = n->most < SLOTS_MAX ? (unsigned)n->most + 2 : SLOTS_MAX;
}

/* What waits between the nodes. */
static uint64_t queue_need(const struct tfr_flow *flow, const struct tfr_first_records *f)
{
	uint64_t bytes = 0;

	for (unsigned i = 1; i < flow->node_count; i++) {
		const struct tfr_flow_node *n = &flow->nodes[i];

		if (n->kind < NODE_PLACE && n->kind != NODE_SHUFFLE)
			bytes += tfr_flow_node_capacity(n) * (sample_bytes(f, n) + sizeof(void *));
	}
	return bytes + flow->settings->opts.threads * sample_bytes(f, flow->last->up);
}

/* A buffer never holds more than the files do; two epochs may be in it at once.  The contents of
 * compressed files are not known. */
static uint64_t shuffle_need(const struct tfr_flow *flow, const struct tfr_first_records *f,
	const struct tfr_flow_node *n)
{
	uint64_t each = sample_bytes(f, n), records = n->shuffler.capacity;
	uint64_t all = tfr_set_bytes(flow->settings->opts.set), most;

	if (all && !f->compressed) {
		most = all / (f->bytes / f->records + 1) + 1;
		for (const struct tfr_flow_node *up = n; up; up = up->up)
			most *= tfr_flow_node_copies(up);
		most += most / 4 + MIB / each + 1;
		if (flow->settings->opts.epochs != 1)
			most *= 2;
		records = records < most ? records : most;
	}
	return records * each + n->shuffler.capacity * sizeof(struct tfr_shuffled);
}

/* The memory of a cache, as far as it can be known: not for compressed files. */
static uint64_t cache_need(const struct tfr_flow *flow, const struct tfr_first_records *f,
	const struct tfr_flow_node *n)
{
	uint64_t records = tfr_set_bytes(flow->settings->opts.set) /
			   (f->bytes / f->records + TFR_RECORD_OVERHEAD);
	uint64_t each = sample_bytes(f, n) - sizeof(struct tfr_pipeline_sample) +
			sizeof(struct tfr_cache_entry);

	if (sample_bytes(f, n) == tfr_first_mean_footprint(f)) /* records are packed */
		each = f->bytes / f->records + 16 + sizeof(struct tfr_cache_entry);
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

	if (flow->settings->audio) /* a block of samples */
		return flow->settings->opts.threads * (uint64_t)MIB;
	if (most > flow->settings->opts.memory / 4)
		most = flow->settings->opts.memory / 4;
	if (mean > most)
		mean = most;
	for (unsigned i = 1; i < flow->node_count; i++)
		if (flow->nodes[i].decodes)
			others += tfr_recipe_scratch(
				&flow->nodes[i].recipe, f->mean_width, f->mean_height);
	return flow->settings->opts.threads * (mean + others + MIB) + most - mean;
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
	plan->scratch_bytes = flow->settings->images ? scratch_need(flow, f) : 0;
}

uint32_t tfr_flow_copies(const struct tfr_flow *flow)
{
	return tfr_flow_node_copies(flow->last);
}

/* The shuffle buffers share it by their need. */
void tfr_flow_share_room(struct tfr_flow *flow, const struct tfr_first_records *f, uint64_t room)
{
	const struct tfr_pipeline_plan *plan = &flow->settings->plan;

	for (unsigned i = 1; i < flow->node_count; i++) {
		struct tfr_flow_node *n = &flow->nodes[i];

		if (n->kind == NODE_SHUFFLE) {
			uint64_t own = shuffle_need(flow, f, n);
			double all = (double)room * (double)own / (double)plan->shuffle_bytes +
				     (double)own;
			bool records = sample_bytes(f, n) == tfr_first_mean_footprint(f);

			/* It counts payloads or pixels: that share of their memory. */
			n->shuffler.byte_limit =
				(uint64_t)(all * (records ? (double)f->bytes / (double)f->footprint
							  : 0.95));
		}
		if (n->kind == NODE_CACHE)
			n->cache.limit = plan->cache_bytes + (plan->shuffle_bytes ? 0 : room);
	}
}
