/* pipeline/flow/ordered.c - the nodes that one worker at a time runs: shuffle, cache, prefetch.
 *
 * Their output depends on the samples before, so that they run in the order of their claims.
 * They only move pointers (and the cache copies), a few hundred at a time and without the lock,
 * so that they do not limit the others. */
#include <assert.h>

#include "base/error.h"
#include "pipeline/flow/nodes.h"

/* Whether there is something to give out though nothing comes in. */
static bool has_more(const struct tfr_flow *flow, const struct tfr_flow_node *n)
{
	if (n->kind == NODE_SHUFFLE)
		return n->shuffler.front_closed;
	return n->kind == NODE_CACHE && !n->over && tfr_sample_cache_count(n->cache) &&
	       tfr_flow_node_over(flow, n->up);
}

static bool has_room(const struct tfr_flow_node *n)
{
	return n->claimed - n->taken < n->slot_count && (!n->most || n->waiting < n->most);
}

static unsigned wanted(const struct tfr_flow_node *n)
{
	return n->most && n->most - n->waiting < n->per_job ? (unsigned)(n->most - n->waiting)
							    : n->per_job;
}

bool tfr_ordered_claim(
	struct tfr_flow *flow, struct tfr_worker *w, struct tfr_flow_node *n, enum tfr_lack *lack)
{
	struct tfr_job_slot *s = &n->slots[n->claimed % n->slot_count];

	*lack = LACK_NOTHING;
	if (n->running)
		return false;
	if (!has_room(n)) {
		*lack = LACK_ROOM;
		return false;
	}
	s->in_count = tfr_flow_node_take(flow, n->up, s->in, wanted(n));
	if (!s->in_count && !has_more(flow, n)) {
		if (n->kind == NODE_CACHE && tfr_flow_node_over(flow, n->up) && !n->over) {
			n->over = true;
			tfr_feed_wake_workers(flow->control);
		}
		*lack = tfr_flow_node_over(flow, n->up) ? LACK_NOTHING : LACK_INPUT;
		return false;
	}
	assert(!s->done && !s->out_count);
	n->running = true;
	n->claimed++;
	w->node = n;
	w->slot = s;
	return true;
}

/* ---- shuffle ---- */

static bool pop(struct tfr_flow_node *n, struct tfr_job_slot *s)
{
	return tfr_job_slot_put(s, tfr_shuffler_pop(&n->shuffler));
}

/* Gives out what an epoch still has, and its end. */
static bool drain(struct tfr_flow_node *n, struct tfr_job_slot *s, unsigned most)
{
	bool ok = true;

	while (ok && n->shuffler.front_closed && s->out_count < most) {
		if (!tfr_shuffler_drained(&n->shuffler)) {
			ok = pop(n, s);
			continue;
		}
		ok = tfr_job_slot_put(s, NULL);
		tfr_shuffler_next_epoch(&n->shuffler);
	}
	return ok;
}

/* The size that a shuffle buffer counts: of the payload, or of the pixels. */
static uint64_t weight(const struct tfr_feed_sample *s)
{
	return s->pixels ? s->pixels->stride * s->pixels->height : s->size;
}

static bool mix_one(struct tfr_flow_node *n, struct tfr_job_slot *s, struct tfr_feed_sample *one)
{
	struct tfr_shuffler *m = &n->shuffler;
	bool ok = true;

	if (!one) { /* one epoch drains at a time */
		if (m->front_closed)
			ok = drain(n, s, UINT32_MAX);
		tfr_shuffler_close_epoch(m);
		return ok;
	}
	while (ok && tfr_shuffler_full(m)) {
		if (tfr_shuffler_drained(m))
			ok = drain(n, s, s->out_count + 1);
		else
			ok = pop(n, s);
	}
	tfr_shuffler_push(m, one, weight(one));
	while (ok && !m->front_closed && tfr_shuffler_full(m))
		ok = pop(n, s);
	return ok;
}

static enum tfr_status shuffle(
	struct tfr_worker *w, struct tfr_flow_node *n, struct tfr_job_slot *s, uint64_t *bytes)
{
	uint64_t before = n->shuffler.bytes, in = 0;
	bool ok = true;

	for (unsigned i = 0; ok && i < s->in_count; i++) {
		in += s->in[i] ? weight(s->in[i]) : 0;
		ok = mix_one(n, s, s->in[i]);
	}
	if (ok)
		ok = drain(n, s, n->per_job);
	*bytes = before + in - n->shuffler.bytes;
	return ok ? TFR_OK : tfr_fail_nomem(&w->err, "shuffling");
}

/* ---- cache ---- */

/* The first epoch of a cache: passes the samples on, and keeps them. */
static enum tfr_status record(struct tfr_worker *w, struct tfr_flow_node *n, struct tfr_job_slot *s)
{
	enum tfr_status status = TFR_OK;

	for (unsigned i = 0; i < s->in_count; i++) {
		if (status == TFR_OK && n->cache && s->in[i])
			status = tfr_sample_cache_add(n->cache, s->in[i], &w->err);
		s->out[s->out_count++] = s->in[i];
	}
	return status;
}

/* Later ones: `epoch_items` is how far this epoch has come, `epoch` which it is. */
static enum tfr_status replay(struct tfr_flow *flow, struct tfr_worker *w, struct tfr_flow_node *n,
	struct tfr_job_slot *s)
{
	uint64_t left = tfr_sample_cache_count(n->cache) - n->epoch_items;
	unsigned count = left < n->per_job - 1 ? (unsigned)left : n->per_job - 1;

	TFR_TRY(tfr_sample_cache_get(n->cache, flow->pool, n->epoch_items, count,
		tfr_record_source_epoch(flow->source) + 1 + n->seen_epochs, s->out, &w->err));
	s->out_count = count;
	n->epoch_items += count;
	if (n->epoch_items == tfr_sample_cache_count(n->cache)) {
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
		(tfr_record_source_fault(flow->source, NULL) || !tfr_sample_cache_count(n->cache) ||
			(flow->epochs && done >= flow->epochs)))
		n->over = true;
}

void tfr_ordered_run(struct tfr_flow *flow, struct tfr_worker *w)
{
	struct tfr_flow_node *n = w->node;
	struct tfr_job_slot *s = w->slot;
	uint64_t start = tfr_clock_ns(), end, items = 0, bytes = 0;
	enum tfr_status status = TFR_OK;

	if (n->kind == NODE_SHUFFLE)
		status = shuffle(w, n, s, &bytes);
	else if (n->kind == NODE_CACHE && !s->in_count)
		status = replay(flow, w, n, s);
	else
		status = record(w, n, s);
	for (unsigned i = 0; i < s->out_count; i++)
		if (s->out[i]) {
			items++;
			/* Samples from a shuffle buffer are not read here: they may be in no
			 * cache. */
			bytes += n->kind == NODE_SHUFFLE ? 0 : s->out[i]->size;
		}
	end = tfr_clock_ns();
	tfr_job_time_add(&w->time, n->row, end - start, items, bytes);
	tfr_feed_trace(flow->set, n->row, w->time.thread, start, end,
		s->in_count && s->in[0] ? s->in[0]->ordinal : 0);
	tfr_worker_settle(flow, w);
	assert(n->running); /* since the claim: no other worker was here */
	n->running = false;
	if (n->kind == NODE_SHUFFLE) {
		n->held = n->shuffler.end - n->shuffler.start;
		n->least = n->shuffler.least;
	}
	if (status)
		tfr_feed_fail(flow->control, status, &w->err);
	if (n->kind == NODE_CACHE)
		end_cache(flow, n);
	tfr_job_slot_finish(flow, n, s);
}
