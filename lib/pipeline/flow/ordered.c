/* pipeline/flow/ordered.c - the nodes that one worker at a time runs: shuffle, cache, prefetch.
 *
 * Their output depends on the samples before, so that they run in the order of their claims.
 * They only move pointers (and the cache copies), a few hundred at a time and without the lock,
 * so that they do not limit the others. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/text.h>

#include "base/array.h"
#include "base/error.h"
#include "pipeline/flow/nodes.h"

/* ---- the samples in a cache: entries in order, and their bytes in slabs of memory ----
 *
 * The bytes of an entry are the payload.  Of pixels they are the memory of their sample.  Adding
 * and getting need no lock: the node runs one worker at a time. */

enum { SLAB = 4 << 20, ENTRIES = 4096, LINE = 64 };

struct tfr_cache_slab {
	struct tfr_cache_slab *next;
	size_t used, capacity;
	_Alignas(LINE) uint8_t bytes[];
};

void tfr_sample_cache_clear(struct tfr_sample_cache *c)
{
	while (c->slabs) {
		struct tfr_cache_slab *s = c->slabs;

		c->slabs = s->next;
		free(s);
	}
	for (uint64_t i = 0; i * ENTRIES < c->count; i++)
		free(c->entries[i]);
	free(c->entries);
}

/* The payload, or the memory of a sample of pixels: both forms, the image, the mask. */
static size_t content_bytes(const struct tfr_pipeline_sample *s)
{
	const struct tfr_pixels *last;

	if (!s->pixels)
		return s->size;
	last = &s->pixels[s->pixels[1].data != NULL];
	return (size_t)((uint8_t *)last->data - (uint8_t *)s->pixels) + last->stride * last->height;
}

/* Room in memory for an entry's bytes; NULL: there is none. */
static uint8_t *take_room(struct tfr_sample_cache *c, uint64_t bytes)
{
	struct tfr_cache_slab *s = c->slabs;
	uint64_t need = (bytes + LINE - 1) / LINE * LINE;

	if (bytes < LINE * 8) /* small records are packed */
		need = (bytes + 15) / 16 * 16;
	if (!s || s->capacity - s->used < need) {
		size_t capacity = need > SLAB / 4 ? (size_t)need : SLAB;

		s = aligned_alloc(LINE, (sizeof(*s) + capacity + LINE - 1) / LINE * LINE);
		if (!s)
			return NULL;
		*s = (struct tfr_cache_slab){ .capacity = capacity };
		/* A slab for one large entry does not replace the slab that has room. */
		if (c->slabs && capacity != SLAB) {
			s->next = c->slabs->next;
			c->slabs->next = s;
		} else {
			s->next = c->slabs;
			c->slabs = s;
		}
	}
	s->used += need;
	return s->bytes + s->used - need;
}

static struct tfr_cache_entry *new_entry(
	struct tfr_sample_cache *c, const struct tfr_pipeline_sample *s)
{
	uint64_t block = c->count / ENTRIES;
	struct tfr_cache_entry *e;

	if (c->count % ENTRIES == 0) {
		if (TFR_ARRAY_ONE_MORE(c->entries, block))
			return NULL;
		c->entries[block] = malloc(ENTRIES * sizeof(struct tfr_cache_entry));
		if (!c->entries[block])
			return NULL;
	}
	e = &c->entries[block][c->count % ENTRIES];
	*e = (struct tfr_cache_entry){
		.ordinal = s->ordinal,
		.record = s->record,
		.offset = s->offset,
		.size = s->size,
		.image_at = s->image ? (uint32_t)(s->image - s->data) : 0,
		.image_size = (uint32_t)s->image_size,
		.mask_at = s->mask ? (uint32_t)(s->mask - s->data) : 0,
		.mask_size = (uint32_t)s->mask_size,
		.file = s->file,
		.copy = s->copy,
		.pixels = s->pixels,
	};
	c->count++;
	return e;
}

/* Adds a copy of a sample.  TFR_ENOMEM: it would exceed the limit, or there is no memory. */
static enum tfr_status add_entry(
	struct tfr_sample_cache *c, const struct tfr_pipeline_sample *s, struct tfr_error *err)
{
	size_t size = content_bytes(s);
	uint64_t bytes = s->pixels ? (size + LINE - 1) / LINE * LINE : size;
	struct tfr_cache_entry *e = new_entry(c, s);
	struct tfr_pixels *forms;
	char limit[TFR_SIZE_TEXT];

	TFR_NEED_MEMORY(e, err, "caching");
	c->bytes += sizeof(*e) + bytes;
	if (c->bytes > c->limit)
		return tfr_fail_hint(err, TFR_ENOMEM,
			"Raise --memory, or leave out the stage: the system keeps files in memory.",
			"the cache does not fit the %s that are left for it",
			tfr_format_size(c->limit, limit));
	e->memory = take_room(c, bytes ? bytes : 1);
	TFR_NEED_MEMORY(e->memory, err, "caching");
	memcpy(e->memory, s->pixels ? (const void *)s->pixels : s->data, size);
	forms = (struct tfr_pixels *)e->memory;
	for (unsigned m = 0; s->pixels && m < 2; m++)
		if (forms[m].data)
			forms[m].data =
				e->memory + ((uint8_t *)forms[m].data - (uint8_t *)s->pixels);
	return TFR_OK;
}

static void fill_sample(
	const struct tfr_cache_entry *e, uint64_t epoch, struct tfr_pipeline_sample *s)
{
	s->epoch = epoch;
	s->ordinal = e->ordinal;
	s->record = e->record;
	s->offset = e->offset;
	s->size = e->size;
	s->file = e->file;
	s->copy = e->copy;
	if (e->pixels) {
		s->pixels = (struct tfr_pixels *)e->memory;
		return;
	}
	s->data = e->memory;
	s->image = e->image_size ? e->memory + e->image_at : NULL;
	s->image_size = e->image_size;
	s->mask = e->mask_size ? e->memory + e->mask_at : NULL;
	s->mask_size = e->mask_size;
}

/* ---- shuffle ---- */

static bool pop_sample(struct tfr_flow_node *n, struct tfr_node_slot *s)
{
	return tfr_node_slot_put(s, tfr_shuffler_pop(&n->shuffler));
}

/* Gives out what an epoch still has, and its end. */
static bool drain_epoch(struct tfr_flow_node *n, struct tfr_node_slot *s, unsigned most)
{
	bool ok = true;

	while (ok && n->shuffler.front_closed && s->out_count < most) {
		if (!tfr_shuffler_drained(&n->shuffler)) {
			ok = pop_sample(n, s);
			continue;
		}
		ok = tfr_node_slot_put(s, NULL);
		tfr_shuffler_next_epoch(&n->shuffler);
	}
	return ok;
}

/* The size that a shuffle buffer counts: of the payload, or of the pixels. */
static uint64_t sample_weight(const struct tfr_pipeline_sample *s)
{
	return s->pixels ? s->pixels->stride * s->pixels->height : s->size;
}

static bool shuffle_one(
	struct tfr_flow_node *n, struct tfr_node_slot *s, struct tfr_pipeline_sample *one)
{
	struct tfr_shuffler *m = &n->shuffler;
	bool ok = true;

	if (!one) { /* one epoch drains at a time */
		if (m->front_closed)
			ok = drain_epoch(n, s, UINT32_MAX);
		tfr_shuffler_close_epoch(m);
		return ok;
	}
	while (ok && tfr_shuffler_full(m)) {
		if (tfr_shuffler_drained(m))
			ok = drain_epoch(n, s, s->out_count + 1);
		else
			ok = pop_sample(n, s);
	}
	tfr_shuffler_push(m, one, sample_weight(one));
	while (ok && !m->front_closed && tfr_shuffler_full(m))
		ok = pop_sample(n, s);
	return ok;
}

static enum tfr_status shuffle_samples(
	struct tfr_worker *w, struct tfr_flow_node *n, struct tfr_node_slot *s, uint64_t *bytes)
{
	uint64_t before = n->shuffler.bytes, in = 0;
	bool ok = true;

	for (unsigned i = 0; ok && i < s->in_count; i++) {
		in += s->in[i] ? sample_weight(s->in[i]) : 0;
		ok = shuffle_one(n, s, s->in[i]);
	}
	if (ok)
		ok = drain_epoch(n, s, n->per_job);
	*bytes = before + in - n->shuffler.bytes;
	return ok ? TFR_OK : tfr_fail_nomem(&w->err, "shuffling");
}

/* ---- cache ---- */

/* The first epoch of a cache: passes the samples on, and keeps them. */
static enum tfr_status record_samples(
	struct tfr_worker *w, struct tfr_flow_node *n, struct tfr_node_slot *s)
{
	enum tfr_status status = TFR_OK;

	for (unsigned i = 0; i < s->in_count; i++) {
		if (status == TFR_OK && n->kind == NODE_CACHE && s->in[i])
			status = add_entry(&n->cache, s->in[i], &w->err);
		s->out[s->out_count++] = s->in[i];
	}
	return status;
}

/* Later ones: `epoch_items` is how far this epoch has come, `epoch` which it is. */
static enum tfr_status replay_samples(struct tfr_flow *flow, struct tfr_worker *w,
	struct tfr_flow_node *n, struct tfr_node_slot *s)
{
	const struct tfr_sample_cache *c = &n->cache;
	uint64_t left = c->count - n->epoch_items, at = n->epoch_items;
	uint64_t epoch = tfr_record_source_epoch(flow->source) + 1 + n->seen_epochs;
	unsigned count = left < n->per_job - 1 ? (unsigned)left : n->per_job - 1;

	if (!tfr_samples_get(flow->pool, NULL, count, s->out))
		return tfr_fail_nomem(&w->err, "taking records out of the cache");
	for (unsigned i = 0; i < count; i++, at++)
		fill_sample(&c->entries[at / ENTRIES][at % ENTRIES], epoch, s->out[i]);
	s->out_count = count;
	n->epoch_items += count;
	if (n->epoch_items == c->count) {
		s->out[s->out_count++] = NULL;
		n->epoch_items = 0;
		n->seen_epochs++;
	}
	return TFR_OK;
}

/* The last epoch is out, or the first could not be read to its end.  With the lock. */
static void end_cache(const struct tfr_flow *flow, struct tfr_flow_node *n)
{
	uint64_t done = 1 + n->seen_epochs;

	if (tfr_flow_node_over(flow, n->up) &&
		(tfr_record_source_fault(flow->source, NULL) || !n->cache.count ||
			(flow->epochs && done >= flow->epochs)))
		n->over = true;
}

void tfr_ordered_run(struct tfr_flow *flow, struct tfr_worker *w)
{
	struct tfr_flow_node *n = w->node;
	struct tfr_node_slot *s = w->slot;
	uint64_t start = tfr_clock_ns(), items = 0, bytes = 0;
	enum tfr_status status = TFR_OK;

	if (n->kind == NODE_SHUFFLE)
		status = shuffle_samples(w, n, s, &bytes);
	else if (n->kind == NODE_CACHE && !s->in_count)
		status = replay_samples(flow, w, n, s);
	else
		status = record_samples(w, n, s);
	for (unsigned i = 0; i < s->out_count; i++)
		if (s->out[i]) {
			items++;
			/* Samples from a shuffle buffer are not read here: they may be in no
			 * cache. */
			bytes += n->kind == NODE_SHUFFLE ? 0 : s->out[i]->size;
		}
	tfr_work_time_add(&w->time, n->row, 0, items, bytes);
	tfr_work_time_spend(&w->time, flow->settings, n->row, start,
		s->in_count && s->in[0] ? s->in[0]->ordinal : 0);
	tfr_worker_lock_and_settle(flow, w);
	assert(n->running); /* since the claim: no other worker was here */
	n->running = false;
	if (n->kind == NODE_SHUFFLE) {
		n->held = n->shuffler.end - n->shuffler.start;
		n->least = n->shuffler.least;
	}
	if (status)
		tfr_control_fail(flow->control, status, &w->err);
	if (n->kind == NODE_CACHE)
		end_cache(flow, n);
	tfr_node_slot_finish(flow, n, s);
}
