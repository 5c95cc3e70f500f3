/* pipeline/flow/flow.c - the list compiled into nodes, and what waits between them.
 *
 * A node stands for neighbouring stages that are done in one go: what a worker does to a few
 * samples at a time (parse and filter; decode and the images behind it), or what only one may do
 * at a time because it depends on what came before (shuffle, cache, prefetch).  Every claim of a
 * node takes the next slot of its ring, so that however the jobs end, slots are handed on in the
 * order of their claims: that is what restores order, and the number of slots is what bounds a
 * node.
 *
 * The last node takes images to their places, or records to their batch, or drops what comes. */
#include <stdlib.h>

#include "base/error.h"
#include "pipeline/state.h"

static struct tfr_flow_node *add_node(
	struct tfr_pipeline *p, enum tfr_node_kind kind, unsigned from, unsigned to)
{
	struct tfr_flow_node *n = &p->nodes[p->node_count];

	*n = (struct tfr_flow_node){ .kind = kind,
		.up = p->node_count ? &p->nodes[p->node_count - 1] : NULL,
		.from = from,
		.to = to,
		.row = to ? to - 1 : 0 };
	p->node_count++;
	return n;
}

static enum tfr_stage_kind kind_at(const struct tfr_pipeline *p, unsigned i)
{
	return i < p->list.count ? p->list.at[i].kind : STAGE_KINDS;
}

/* Whether records need be looked into between two stages.  Records to be parsed by the batch are
 * not parsed twice. */
static void set_up_parsing(struct tfr_pipeline *p, struct tfr_flow_node *n)
{
	for (unsigned i = n->from; i < n->to; i++)
		switch (kind_at(p, i)) {
		case STAGE_PARSE:
			n->parses |= !p->features || p->images;
			n->finds |= p->images;
			n->finds_sounds = tfr_feeds_audio(p);
			break;
		case STAGE_FILTER:
			n->filters = true;
			break;
		default:
			break;
		}
}

/* parse, filter: from `i` on; returns the stage behind them. */
static unsigned compile_parsing(struct tfr_pipeline *p, unsigned i)
{
	unsigned from = i;
	struct tfr_flow_node *n;

	while (kind_at(p, i) == STAGE_PARSE || kind_at(p, i) == STAGE_FILTER)
		i++;
	n = add_node(p, NODE_MAP, from, i);
	set_up_parsing(p, n);
	if (!n->parses && !n->finds && !n->filters)
		p->node_count--;
	return i;
}

/* What comes in the order it came in must not keep whole runs in memory. */
static void keep_behind(struct tfr_pipeline *p, struct tfr_flow_node *up, unsigned row)
{
	struct tfr_flow_node *keeper = up;

	if (up->kind == NODE_PREFETCH)
		keep_behind(p, up->up, row);
	if (up->kind == NODE_SOURCE) /* workers copy, and no row but the shuffle's is theirs */
		keeper = add_node(p, NODE_MAP, row, row);
	else if (up->kind != NODE_MAP)
		return;
	keeper->keeps = true;
	keeper->keeps_row = row;
}

static enum tfr_status compile_ordered(
	struct tfr_pipeline *p, unsigned i, unsigned *shuffles, struct tfr_error *err)
{
	const struct tfr_stage *st = &p->list.at[i];
	struct tfr_flow_node *n;

	switch (st->kind) {
	case STAGE_SHUFFLE:
		keep_behind(p, &p->nodes[p->node_count - 1], i);
		n = add_node(p, NODE_SHUFFLE, i, i + 1);
		if (st->n > UINT32_MAX)
			return tfr_fail(err, TFR_EUSAGE,
				"a shuffle buffer of %llu records is out of reach",
				(unsigned long long)st->n);
		if (!tfr_shuffle_buffer_init(
			    &n->shuffle, st->n, st->min, p->opts.seed + (*shuffles)++))
			return tfr_fail_nomem(err, "making a shuffle buffer");
		return TFR_OK;
	case STAGE_CACHE:
		n = add_node(p, NODE_CACHE, i, i + 1);
		return tfr_sample_cache_new(&n->cache, st->file, p->opts.memory, err);
	default:
		n = add_node(p, NODE_PREFETCH, i, i + 1);
		n->most = st->n;
		return TFR_OK;
	}
}

/* decode and images: from `i` on; right before batch they go straight to their places. */
static unsigned compile_images(struct tfr_pipeline *p, unsigned i)
{
	struct tfr_recipe recipe;
	struct tfr_flow_node *n;

	tfr_recipe_init(&recipe, &p->list, i, p->opts.seed);
	n = add_node(p, kind_at(p, recipe.to) == STAGE_BATCH ? NODE_PLACE : NODE_MAP, i, recipe.to);
	n->decodes = true;
	n->recipe = recipe;
	return recipe.to;
}

/* Features of records that are pixels by then cannot be had. */
static enum tfr_status check_features(struct tfr_pipeline *p, struct tfr_error *err)
{
	for (unsigned i = 0; i < p->node_count; i++)
		if (p->features && p->nodes[i].kind == NODE_MAP && p->nodes[i].decodes)
			return tfr_fail(err, TFR_EUSAGE,
				"features of a record are gone behind stage '%s', which is not "
				"followed by batch",
				p->list.at[p->nodes[i].to - 1].text);
	return TFR_OK;
}

/* What the images of a batch are like: as the last recipe gives them. */
static enum tfr_status note_form(struct tfr_pipeline *p, struct tfr_error *err)
{
	const struct tfr_flow_node *n = tfr_flow_last(p);

	while (n && !n->decodes)
		n = n->up;
	if (!p->images || !n)
		return TFR_OK;
	p->layout.images = true;
	p->layout.image = n->recipe.form;
	p->layout.mask = n->recipe.mask_form;
	p->layout.masks = n->recipe.masks;
	p->layout.sounds = n->recipe.sounds;
	if (n->recipe.form.fixed)
		return TFR_OK;
	return tfr_fail(err, TFR_EUSAGE,
		n->recipe.sounds
			? "stage 'batch': its sounds have no one length: crop before it"
			: "stage 'batch': its images have no one size: crop or resize before it");
}

static enum tfr_status compile_last(struct tfr_pipeline *p, unsigned i, struct tfr_error *err)
{
	struct tfr_flow_node *last = tfr_flow_last(p);
	enum tfr_status status;

	p->batches_rows = kind_at(p, i) == STAGE_BATCH;
	if (!p->batches_rows) {
		add_node(p, NODE_DROP, p->list.count, p->list.count);
		return TFR_OK;
	}
	if (last->kind != NODE_PLACE)
		last = add_node(p, p->images ? NODE_PLACE : NODE_RECORDS, i, i + 1);
	last->row = i;
	status = note_form(p, err);
	return status ? status : check_features(p, err);
}

enum tfr_status tfr_flow_compile(struct tfr_pipeline *p, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	unsigned i = 1, shuffles = 0;

	if (kind_at(p, i) == STAGE_INFLATE)
		i++;
	add_node(p, NODE_SOURCE, 0, i);
	while (status == TFR_OK && i < p->list.count && kind_at(p, i) != STAGE_BATCH)
		switch (kind_at(p, i)) {
		case STAGE_PARSE:
		case STAGE_FILTER:
			i = compile_parsing(p, i);
			break;
		case STAGE_DECODE:
		case STAGE_IMAGE:
			i = compile_images(p, i);
			break;
		default:
			status = compile_ordered(p, i++, &shuffles, err);
		}
	return status ? status : compile_last(p, i, err);
}

static enum tfr_status allocate_slots(struct tfr_flow_node *n, struct tfr_error *err)
{
	n->slots = calloc(n->slot_count, sizeof(*n->slots));
	for (unsigned i = 0; n->slots && i < n->slot_count; i++) {
		struct tfr_job_slot *s = &n->slots[i];

		s->in = calloc(n->grain, sizeof(struct tfr_feed_sample *));
		s->out_capacity = n->grain;
		s->out = calloc(s->out_capacity, sizeof(struct tfr_feed_sample *));
		if (!s->in || !s->out)
			return tfr_fail_nomem(err, "starting the workers");
	}
	return n->slots ? TFR_OK : tfr_fail_nomem(err, "starting the workers");
}

enum tfr_status tfr_flow_allocate(struct tfr_pipeline *p, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	for (unsigned i = 1; status == TFR_OK && i < p->node_count; i++)
		if (p->nodes[i].kind < NODE_PLACE)
			status = allocate_slots(&p->nodes[i], err);
	return status;
}

static void clear_node(struct tfr_pipeline *p, struct tfr_flow_node *n)
{
	struct tfr_feed_sample *s;

	for (unsigned i = 0; n->slots && i < n->slot_count; i++) {
		struct tfr_job_slot *slot = &n->slots[i];

		if (slot->out)
			tfr_samples_put(
				&p->store, slot->out + slot->at, slot->out_count - slot->at);
		free(slot->in);
		free(slot->out);
	}
	free(n->slots);
	if (n->kind == NODE_SHUFFLE) {
		while ((s = tfr_shuffle_buffer_discard(&n->shuffle)))
			tfr_sample_put(&p->store, s);
		tfr_shuffle_buffer_clear(&n->shuffle);
	}
	tfr_sample_cache_free(n->cache);
}

void tfr_flow_clear(struct tfr_pipeline *p)
{
	for (unsigned i = 0; i < p->node_count; i++)
		clear_node(p, &p->nodes[i]);
}

bool tfr_job_slot_put(struct tfr_job_slot *s, struct tfr_feed_sample *sample)
{
	if (s->out_count == s->out_capacity) {
		struct tfr_feed_sample **larger =
			reallocarray(s->out, s->out_capacity * 2, sizeof(struct tfr_feed_sample *));

		if (!larger)
			return false;
		s->out = larger;
		s->out_capacity *= 2;
	}
	s->out[s->out_count++] = sample;
	return true;
}

void tfr_job_slot_finish(struct tfr_pipeline *p, struct tfr_flow_node *n, struct tfr_job_slot *s)
{
	s->at = 0;
	s->done = true;
	n->waiting += s->out_count;
	tfr_feed_wake_workers(p);
}

/* Hands on what the first slot has; passes over those that are empty. */
static struct tfr_job_slot *first_done(struct tfr_pipeline *p, struct tfr_flow_node *n)
{
	while (n->taken < n->claimed) {
		struct tfr_job_slot *s = &n->slots[n->taken % n->slot_count];

		if (!s->done)
			return NULL;
		if (s->at < s->out_count)
			return s;
		s->in_count = s->out_count = s->at = 0;
		s->done = false;
		n->taken++;
		tfr_feed_wake_workers(p);
	}
	return NULL;
}

uint64_t tfr_flow_node_waiting(const struct tfr_pipeline *p, const struct tfr_flow_node *n)
{
	uint64_t count = 0;

	if (n->kind != NODE_SOURCE)
		return n->waiting;
	for (uint32_t i = 0; i < p->source.count; i++)
		for (const struct tfr_record_chunk *g = p->source.readings[i].head; g; g = g->next)
			count += g->count - g->at;
	return count;
}

unsigned tfr_flow_node_take(
	struct tfr_pipeline *p, struct tfr_flow_node *n, struct tfr_feed_sample **to, unsigned max)
{
	unsigned count = 0;
	struct tfr_job_slot *s;

	if (n->kind == NODE_SOURCE)
		return tfr_record_source_take(p, to, max);
	n->seen += n->kind == NODE_SHUFFLE ? n->held : n->waiting;
	n->looks++;
	while (count < max && (s = first_done(p, n))) {
		struct tfr_feed_sample *next = s->out[s->at++];

		n->waiting--;
		to[count++] = next;
		if (!next)
			break;
	}
	first_done(p, n); /* an empty slot is room for another */
	return count;
}

bool tfr_flow_node_over(const struct tfr_pipeline *p, const struct tfr_flow_node *n)
{
	if (n->kind == NODE_SOURCE)
		return p->source.over;
	if (n->claimed != n->taken || n->running)
		return false;
	if (n->kind == NODE_CACHE)
		return n->over;
	if (n->kind == NODE_SHUFFLE && tfr_shuffle_buffer_held(&n->shuffle))
		return false;
	return tfr_flow_node_over(p, n->up);
}
