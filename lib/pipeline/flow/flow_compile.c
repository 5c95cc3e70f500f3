/* pipeline/flow/flow_compile.c - the list of stages compiled into nodes. */
#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "pipeline/flow/nodes.h"

static struct tfr_flow_node *add_node(
	struct tfr_flow *flow, enum tfr_node_kind kind, unsigned from, unsigned to)
{
	struct tfr_flow_node *n = &flow->nodes[flow->node_count];

	assert(flow->node_count < NODES_MAX && from <= to);
	*n = (struct tfr_flow_node){ .kind = kind,
		.up = flow->node_count ? &flow->nodes[flow->node_count - 1] : NULL,
		.from = from,
		.to = to,
		.row = to ? to - 1 : 0 };
	flow->node_count++;
	return n;
}

static enum tfr_stage_kind kind_at(const struct tfr_flow *flow, unsigned i)
{
	return i < flow->set->list.count ? flow->set->list.at[i].kind : STAGE_KINDS;
}

/* Whether records need be looked into between two stages.  Records to be parsed by the batch are
 * not parsed twice. */
static void set_up_parsing(struct tfr_flow *flow, struct tfr_flow_node *n)
{
	for (unsigned i = n->from; i < n->to; i++)
		switch (kind_at(flow, i)) {
		case STAGE_PARSE:
			n->parses |= !flow->set->features || flow->set->images;
			n->finds |= flow->set->images;
			n->finds_audio = tfr_feeds_audio(flow->set);
			break;
		case STAGE_FILTER:
			n->filters = true;
			break;
		default:
			break;
		}
}

/* parse, filter: from `i` on; returns the stage after them. */
static unsigned compile_parsing(struct tfr_flow *flow, unsigned i)
{
	unsigned from = i;
	struct tfr_flow_node *n;

	while (kind_at(flow, i) == STAGE_PARSE || kind_at(flow, i) == STAGE_FILTER)
		i++;
	n = add_node(flow, NODE_MAP, from, i);
	set_up_parsing(flow, n);
	if (!n->parses && !n->finds && !n->filters)
		flow->node_count--;
	return i;
}

/* Samples that are held must not keep complete runs in memory: they are copied. */
static void keep_behind(struct tfr_flow *flow, struct tfr_flow_node *up, unsigned row)
{
	struct tfr_flow_node *keeper = up;

	if (up->kind == NODE_PREFETCH)
		keep_behind(flow, up->up, row);
	if (up->kind == NODE_SOURCE) /* workers copy, and no row but the shuffle's is theirs */
		keeper = add_node(flow, NODE_MAP, row, row);
	else if (up->kind != NODE_MAP)
		return;
	keeper->keeps = true;
	keeper->keeps_row = row;
}

static enum tfr_status compile_ordered(
	struct tfr_flow *flow, unsigned i, unsigned *shuffles, struct tfr_error *err)
{
	const struct tfr_stage *st = &flow->set->list.at[i];
	struct tfr_flow_node *n;

	switch (st->kind) {
	case STAGE_SHUFFLE:
		keep_behind(flow, &flow->nodes[flow->node_count - 1], i);
		n = add_node(flow, NODE_SHUFFLE, i, i + 1);
		if (st->n > UINT32_MAX)
			return tfr_fail(err, TFR_EUSAGE,
				"a shuffle buffer of %llu records is out of reach",
				(unsigned long long)st->n);
		tfr_shuffler_init(&n->shuffler, st->n, flow->set->opts.seed + (*shuffles)++);
		if (!tfr_shuffler_reserve(&n->shuffler))
			return tfr_fail_nomem(err, "making a shuffle buffer");
		return TFR_OK;
	case STAGE_CACHE:
		n = add_node(flow, NODE_CACHE, i, i + 1);
		n->cache = tfr_sample_cache_new();
		return n->cache ? TFR_OK : tfr_fail_nomem(err, "making a cache");
	default:
		n = add_node(flow, NODE_PREFETCH, i, i + 1);
		n->most = st->n;
		return TFR_OK;
	}
}

/* decode and images: from `i` on; right before batch they go straight to their places. */
static unsigned compile_images(struct tfr_flow *flow, unsigned i)
{
	struct tfr_recipe recipe;
	struct tfr_flow_node *n;

	tfr_recipe_init(&recipe, &flow->set->list, i, flow->set->opts.seed);
	n = add_node(flow, kind_at(flow, recipe.to) == STAGE_BATCH ? NODE_PLACE : NODE_MAP, i,
		recipe.to);
	n->decodes = true;
	n->recipe = recipe;
	return recipe.to;
}

/* Samples that are pixels have no features any more. */
static enum tfr_status check_features(struct tfr_flow *flow, struct tfr_error *err)
{
	for (unsigned i = 0; i < flow->node_count; i++)
		if (flow->set->features && flow->nodes[i].kind == NODE_MAP &&
			flow->nodes[i].decodes)
			return tfr_fail(err, TFR_EUSAGE,
				"features of a record are lost after stage '%s', which is not "
				"followed by batch",
				flow->set->list.at[flow->nodes[i].to - 1].text);
	return TFR_OK;
}

/* Describes the images of a batch to the transfer: those of the last recipe. */
static enum tfr_status note_form(struct tfr_flow *flow, struct tfr_error *err)
{
	const struct tfr_flow_node *n = tfr_flow_last(flow);
	const struct tfr_recipe *r;

	while (n && !n->decodes)
		n = n->up;
	if (!flow->set->images || !n)
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
	struct tfr_flow_node *last = tfr_flow_last(flow);
	enum tfr_status status;

	assert(flow->set->batches == (kind_at(flow, i) == STAGE_BATCH));
	if (!flow->set->batches) {
		add_node(flow, NODE_DROP, flow->set->list.count, flow->set->list.count);
		return TFR_OK;
	}
	if (last->kind != NODE_PLACE)
		last = add_node(flow, flow->set->images ? NODE_PLACE : NODE_RECORDS, i, i + 1);
	last->row = i;
	status = note_form(flow, err);
	return status ? status : check_features(flow, err);
}

static enum tfr_status compile(struct tfr_flow *flow, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	unsigned i = 1, shuffles = 0;

	if (kind_at(flow, i) == STAGE_INFLATE)
		i++;
	add_node(flow, NODE_SOURCE, 0, i);
	while (status == TFR_OK && i < flow->set->list.count && kind_at(flow, i) != STAGE_BATCH)
		switch (kind_at(flow, i)) {
		case STAGE_PARSE:
		case STAGE_FILTER:
			i = compile_parsing(flow, i);
			break;
		case STAGE_DECODE:
		case STAGE_IMAGE:
			i = compile_images(flow, i);
			break;
		default:
			status = compile_ordered(flow, i++, &shuffles, err);
		}
	return status ? status : compile_last(flow, i, err);
}

enum tfr_status tfr_flow_new(struct tfr_flow **out, const struct tfr_feed_context *feed,
	struct tfr_record_source *source, struct tfr_transfer *transfer, struct tfr_error *err)
{
	struct tfr_flow *flow = calloc(1, sizeof(*flow));

	*out = flow;
	if (!flow)
		return tfr_fail_nomem(err, "starting a feed");
	flow->set = feed->set;
	flow->control = feed->control;
	flow->statistics = feed->statistics;
	flow->pool = feed->pool;
	flow->source = source;
	flow->transfer = transfer;
	flow->epochs = feed->set->opts.epochs;
	return compile(flow, err);
}
