/* pipeline/flow/flow.c - what waits between the nodes, and the workers from their start to their
 * end. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "pipeline/flow/nodes.h"

/* ---- from start to end ---- */

static enum tfr_status allocate_slots(struct tfr_flow_node *n, struct tfr_error *err)
{
	n->slots = calloc(n->slot_count, sizeof(*n->slots));
	for (unsigned i = 0; n->slots && i < n->slot_count; i++) {
		struct tfr_job_slot *s = &n->slots[i];

		s->in = calloc(n->per_job, sizeof(struct tfr_feed_sample *));
		s->out_capacity = n->per_job;
		s->out = calloc(s->out_capacity, sizeof(struct tfr_feed_sample *));
		if (!s->in || !s->out)
			return tfr_fail_nomem(err, "starting the workers");
	}
	return n->slots ? TFR_OK : tfr_fail_nomem(err, "starting the workers");
}

static enum tfr_status allocate(struct tfr_flow *flow, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	for (unsigned i = 1; status == TFR_OK && i < flow->node_count; i++)
		if (flow->nodes[i].kind < NODE_PLACE)
			status = allocate_slots(&flow->nodes[i], err);
	return status;
}

static void clear_node(struct tfr_flow *flow, struct tfr_flow_node *n)
{
	struct tfr_feed_sample *s;

	for (unsigned i = 0; n->slots && i < n->slot_count; i++) {
		struct tfr_job_slot *slot = &n->slots[i];

		if (slot->out)
			tfr_samples_put(
				flow->pool, slot->out + slot->at, slot->out_count - slot->at);
		free(slot->in);
		free(slot->out);
	}
	free(n->slots);
	if (n->kind == NODE_SHUFFLE) {
		while ((s = tfr_shuffler_discard(&n->shuffler)))
			tfr_sample_put(flow->pool, s);
		tfr_shuffler_clear(&n->shuffler);
	}
	tfr_sample_cache_free(n->cache);
}

static enum tfr_status worker_init(struct tfr_flow *flow, unsigned number, struct tfr_error *err)
{
	const struct tfr_feed_settings *set = flow->set;
	struct tfr_worker *w = &flow->workers[number];
	enum tfr_status status = TFR_OK;

	w->flow = flow;
	w->time.thread = number;
	w->example = tfr_example_new();
	w->places = calloc(tfr_flow_copies(flow), sizeof(*w->places));
	w->dropped = calloc(DROP_AT_ONCE, sizeof(struct tfr_feed_sample *));
	if (!w->example || !w->places || !w->dropped)
		return tfr_fail_nomem(err, "starting the workers");
	if (set->opts.where)
		status = tfr_where_compile(&w->where, set->opts.where, err);
	if (status == TFR_OK && set->features)
		status = tfr_feature_block_parser(set->features, &w->parser, err);
	if (status == TFR_OK && set->images)
		status = tfr_image_executor_new(
			&w->executor, set->opts.memory / 4, set->opts.fast_decode, err);
	return status;
}

static void worker_clear(struct tfr_worker *w)
{
	tfr_image_executor_free(w->executor);
	tfr_example_free(w->example);
	tfr_where_free(w->where);
	tfr_batch_parser_free(w->parser);
	free(w->places);
	free(w->dropped);
}

static enum tfr_status start_threads(struct tfr_flow *flow, struct tfr_error *err)
{
	int rc = 0;

	pthread_mutex_lock(&flow->control->lock);
	for (unsigned i = 0; i < flow->set->opts.threads; i++)
		tfr_statistics_watch(flow->statistics, &flow->workers[i].idle);
	pthread_mutex_unlock(&flow->control->lock);
	for (unsigned i = 0; rc == 0 && i < flow->set->opts.threads; i++) {
		rc = pthread_create(&flow->threads[i], NULL, tfr_worker_main, &flow->workers[i]);
		flow->threads_started += rc == 0;
	}
	return rc ? tfr_fail(err, TFR_ESYS, "cannot start the workers: %s", strerror(rc)) : TFR_OK;
}

enum tfr_status tfr_flow_start(struct tfr_flow *flow, struct tfr_error *err)
{
	unsigned threads = flow->set->opts.threads;
	enum tfr_status status = TFR_OK;

	TFR_TRY(allocate(flow, err));
	flow->workers = calloc(threads, sizeof(*flow->workers));
	flow->threads = calloc(threads, sizeof(*flow->threads));
	if (!flow->workers || !flow->threads)
		return tfr_fail_nomem(err, "starting the workers");
	for (unsigned i = 0; status == TFR_OK && i < threads; i++)
		status = worker_init(flow, i, err);
	return status ? status : start_threads(flow, err);
}

void tfr_flow_stop(struct tfr_flow *flow)
{
	for (unsigned i = 0; i < flow->threads_started; i++)
		pthread_join(flow->threads[i], NULL);
}

void tfr_flow_warn(struct tfr_flow *flow)
{
	struct tfr_feature_watch *all = NULL;

	for (unsigned i = 0; flow->workers && i < flow->set->opts.threads; i++) {
		struct tfr_where *where = flow->workers[i].where;

		if (where && all)
			tfr_feature_watch_merge(all, tfr_where_lookout(where));
		else if (where)
			all = tfr_where_lookout(where);
	}
	if (all)
		tfr_feature_watch_warn(all, flow->set->opts.warn, flow->set->opts.ctx);
}

void tfr_flow_free(struct tfr_flow *flow)
{
	if (!flow)
		return;
	for (unsigned i = 0; i < flow->node_count; i++)
		clear_node(flow, &flow->nodes[i]);
	for (unsigned i = 0; flow->workers && i < flow->set->opts.threads; i++)
		worker_clear(&flow->workers[i]);
	free(flow->workers);
	free(flow->threads);
	free(flow);
}

/* ---- slots ---- */

bool tfr_job_slot_reserve(struct tfr_job_slot *s, unsigned more)
{
	return !TFR_ARRAY_RESERVE(s->out, s->out_capacity, s->out_count + more);
}

bool tfr_job_slot_put(struct tfr_job_slot *s, struct tfr_feed_sample *sample)
{
	if (!tfr_job_slot_reserve(s, 1))
		return false;
	s->out[s->out_count++] = sample;
	return true;
}

void tfr_job_slot_finish(struct tfr_flow *flow, struct tfr_flow_node *n, struct tfr_job_slot *s)
{
	assert(!s->done && n->claimed > n->taken);
	s->at = 0;
	s->done = true;
	n->waiting += s->out_count;
	tfr_feed_wake_workers(flow->control);
}

/* Returns the first slot if it has samples left; passes over empty ones. */
static struct tfr_job_slot *first_done(struct tfr_flow *flow, struct tfr_flow_node *n)
{
	assert(n->claimed - n->taken <= n->slot_count);
	while (n->taken < n->claimed) {
		struct tfr_job_slot *s = &n->slots[n->taken % n->slot_count];

		if (!s->done)
			return NULL;
		if (s->at < s->out_count)
			return s;
		s->in_count = s->out_count = s->at = 0;
		s->done = false;
		n->taken++;
		tfr_feed_wake_workers(flow->control);
	}
	return NULL;
}

/* Samples that wait for the next node. */
static uint64_t waiting_at(const struct tfr_flow *flow, const struct tfr_flow_node *n)
{
	return n->kind == NODE_SOURCE ? tfr_record_source_waiting(flow->source) : n->waiting;
}

unsigned tfr_flow_node_take(
	struct tfr_flow *flow, struct tfr_flow_node *n, struct tfr_feed_sample **to, unsigned max)
{
	unsigned count = 0;
	struct tfr_job_slot *s;

	if (n->kind == NODE_SOURCE)
		return tfr_record_source_take(flow->source, to, max);
	n->seen += n->kind == NODE_SHUFFLE ? n->held : n->waiting;
	n->looks++;
	while (count < max && (s = first_done(flow, n))) {
		struct tfr_feed_sample *next = s->out[s->at++];

		assert(n->waiting);
		n->waiting--;
		to[count++] = next;
		if (!next)
			break;
	}
	first_done(flow, n); /* an empty slot is room for another */
	return count;
}

bool tfr_flow_node_over(const struct tfr_flow *flow, const struct tfr_flow_node *n)
{
	if (n->kind == NODE_SOURCE)
		return tfr_record_source_over(flow->source);
	if (n->claimed != n->taken || n->running)
		return false;
	if (n->kind == NODE_CACHE)
		return n->over;
	if (n->kind == NODE_SHUFFLE && n->shuffler.end > n->shuffler.start)
		return false;
	return tfr_flow_node_over(flow, n->up);
}

/* ---- reports ---- */

uint64_t tfr_flow_epochs(const struct tfr_flow *flow)
{
	return tfr_flow_last_const(flow)->epochs;
}

unsigned tfr_flow_waiting_row(const struct tfr_flow *flow)
{
	unsigned row = 0;

	for (unsigned i = 1; i < flow->node_count; i++) {
		const struct tfr_flow_node *n = &flow->nodes[i];

		if ((waiting_at(flow, n - 1) || n->claimed > n->taken) &&
			n->row < flow->set->list.count)
			row = n->row;
	}
	return row;
}

/* The queue after this node, as the next one found it, is that of its last stage. */
static void report_queue(
	const struct tfr_flow *flow, const struct tfr_flow_node *n, struct tfr_stage_stats *s)
{
	bool shuffle = n->kind == NODE_SHUFFLE;

	s->queue_mean = n->looks ? (double)n->seen / (double)n->looks : 0;
	s->queue_now = shuffle ? n->held : waiting_at(flow, n);
	if (shuffle)
		s->queue_capacity = n->shuffler.capacity;
	else
		s->queue_capacity =
			n->most ? n->most
				: (uint64_t)n->slot_count * n->per_job * tfr_flow_node_copies(n);
}

void tfr_flow_report(const struct tfr_flow *flow, struct tfr_pipeline_stats *st)
{
	uint64_t largest = flow->set->plan.shuffle, least = UINT64_MAX;

	for (unsigned i = 1; i < flow->node_count; i++) {
		const struct tfr_flow_node *n = &flow->nodes[i];

		if (n->kind < NODE_PLACE && n->to)
			report_queue(flow, n, &st->stages[n->row]);
		if (n->kind == NODE_SHUFFLE && n->least < least && n->shuffler.capacity == largest)
			least = n->least;
	}
	st->shuffle_least = least == UINT64_MAX ? largest : least;
}
