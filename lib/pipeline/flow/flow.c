/* pipeline/flow/flow.c - the slots between the nodes, and the pool of workers: each takes the job
 * furthest downstream that has input and room.
 *
 * A job is a claim, which takes the input under the lock or says what is missing, and a run,
 * which does the work without the lock.  There is one exception to downstream first: the queue
 * before a node may not run dry, or all workers but the one that refills it would be idle.  An
 * idle worker charges its time to the stages by what each one lacks. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "pipeline/flow/flow.h"
#include "pipeline/flow/nodes.h"
#include "pipeline/transfer/feature_block.h"

/* ---- slots ---- */

bool tfr_node_slot_reserve(struct tfr_node_slot *s, unsigned more)
{
	return !TFR_ARRAY_RESERVE(s->out, s->out_capacity, s->out_count + more);
}

bool tfr_node_slot_put(struct tfr_node_slot *s, struct tfr_pipeline_sample *sample)
{
	if (!tfr_node_slot_reserve(s, 1))
		return false;
	s->out[s->out_count++] = sample;
	return true;
}

void tfr_node_slot_finish(struct tfr_flow *flow, struct tfr_flow_node *n, struct tfr_node_slot *s)
{
	assert(!s->done && n->claimed > n->taken);
	s->at = 0;
	s->done = true;
	n->waiting += s->out_count;
	tfr_control_wake_workers(flow->control);
}

/* Returns the first slot if it has samples left; passes over empty ones. */
static struct tfr_node_slot *first_done(struct tfr_flow *flow, struct tfr_flow_node *n)
{
	assert(n->claimed - n->taken <= n->slot_count);
	while (n->taken < n->claimed) {
		struct tfr_node_slot *s = &n->slots[n->taken % n->slot_count];

		if (!s->done)
			return NULL;
		if (s->at < s->out_count)
			return s;
		s->in_count = s->out_count = s->at = 0;
		s->done = false;
		n->taken++;
		tfr_control_wake_workers(flow->control);
	}
	return NULL;
}

/* Samples that wait for the next node. */
static uint64_t waiting_at(const struct tfr_flow *flow, const struct tfr_flow_node *n)
{
	return n->kind == NODE_SOURCE ? tfr_record_source_waiting(flow->source) : n->waiting;
}

unsigned tfr_flow_node_take(struct tfr_flow *flow, struct tfr_flow_node *n,
	struct tfr_pipeline_sample **to, unsigned max)
{
	unsigned count = 0;
	struct tfr_node_slot *s;

	if (n->kind == NODE_SOURCE)
		return tfr_record_source_take(flow->source, to, max);
	n->seen += n->kind == NODE_SHUFFLE ? n->held : n->waiting;
	n->looks++;
	while (count < max && (s = first_done(flow, n))) {
		struct tfr_pipeline_sample *next = s->out[s->at++];

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

/* Whether there is something to give out though nothing comes in. */
static bool has_more(const struct tfr_flow *flow, const struct tfr_flow_node *n)
{
	if (n->kind == NODE_SHUFFLE)
		return n->shuffler.front_closed;
	return n->kind == NODE_CACHE && !n->over && n->cache.count &&
	       tfr_flow_node_over(flow, n->up);
}

/* The next slot of a node, with samples in it or for what the node still has. */
static bool claim_slot(struct tfr_flow *flow, struct tfr_worker *w, struct tfr_flow_node *n)
{
	struct tfr_node_slot *s = &n->slots[n->claimed % n->slot_count];
	uint64_t room = n->most ? n->most - n->waiting : n->per_job;

	if (n->running)
		return false;
	if (n->claimed - n->taken == n->slot_count || (n->most && n->waiting >= n->most)) {
		w->lack = LACK_ROOM;
		return false;
	}
	s->in_count = tfr_flow_node_take(
		flow, n->up, s->in, room < n->per_job ? (unsigned)room : n->per_job);
	if (!s->in_count && !has_more(flow, n)) {
		if (n->kind == NODE_CACHE && tfr_flow_node_over(flow, n->up) && !n->over) {
			n->over = true;
			tfr_control_wake_workers(flow->control);
		}
		w->lack = tfr_flow_node_over(flow, n->up) ? LACK_NOTHING : LACK_INPUT;
		return false;
	}
	assert(!s->done && !s->out_count); /* it was handed on completely */
	n->running = n->kind != NODE_MAP;
	n->claimed++;
	w->node = n;
	w->slot = s;
	return true;
}

/* ---- the pool ---- */

static const struct {
	bool (*claim)(struct tfr_flow *flow, struct tfr_worker *w, struct tfr_flow_node *n);
	void (*run)(struct tfr_flow *flow, struct tfr_worker *w);
} jobs[] = {
	[NODE_MAP] = { claim_slot, tfr_map_run },
	[NODE_SHUFFLE] = { claim_slot, tfr_ordered_run },
	[NODE_CACHE] = { claim_slot, tfr_ordered_run },
	[NODE_PREFETCH] = { claim_slot, tfr_ordered_run },
	[NODE_PLACE] = { tfr_place_claim, tfr_place_run },
	[NODE_RECORDS] = { tfr_records_claim, tfr_records_run },
	[NODE_DROP] = { tfr_drop_claim, tfr_drop_run },
};

static bool claim_job(
	struct tfr_flow *flow, struct tfr_worker *w, struct tfr_flow_node *n, enum tfr_lack *lacks)
{
	w->lack = LACK_NOTHING;
	if (jobs[n->kind].claim(flow, w, n))
		return true;
	lacks[n - flow->nodes] = w->lack;
	return false;
}

void tfr_worker_lock_and_settle(struct tfr_flow *flow, struct tfr_worker *w)
{
	uint64_t waited = tfr_work_time_end(flow->statistics, &w->time);

	pthread_mutex_lock(&flow->control->lock);
	tfr_statistics_add_job(flow->statistics, &w->time, waited);
}

/* Charges why the pool has less work than workers: the last node has no room, or the first no
 * input, or a node that one worker at a time runs is running. */
static void charge_pool(struct tfr_flow *flow, struct tfr_worker *w, const enum tfr_lack *lacks)
{
	enum tfr_pool_account why;
	bool serial = false;

	for (unsigned i = 1; i < flow->node_count; i++)
		serial |= flow->nodes[i].running;
	if (lacks[flow->node_count - 1] == LACK_ROOM)
		why = TFR_POOL_BLOCKED;
	else if (serial)
		why = TFR_POOL_SERIAL;
	else if (lacks[1] == LACK_INPUT)
		why = TFR_POOL_STARVED;
	else
		return;
	tfr_statistics_charge_pool(flow->statistics, &w->idle, why);
}

static bool is_dry(const struct tfr_flow *flow, const struct tfr_flow_node *n)
{
	const struct tfr_flow_node *next = n + 1;
	uint64_t enough = flow->settings->opts.threads *
			  (uint64_t)(next->kind < NODE_PLACE ? next->per_job : 1);

	return n->waiting < enough;
}

/* Charges the time to each stage by what it lacks. */
static void wait_for_work(struct tfr_flow *flow, struct tfr_worker *w, const enum tfr_lack *lacks)
{
	tfr_span_begin(&w->idle);
	for (unsigned k = 1; k < flow->node_count; k++) {
		const struct tfr_flow_node *n = &flow->nodes[k];

		for (unsigned i = n->from; lacks[k] && i < n->to && i < flow->settings->rows; i++)
			tfr_statistics_charge(flow->statistics, &w->idle, i,
				lacks[k] == LACK_INPUT ? TFR_ACCOUNT_STARVED : TFR_ACCOUNT_BLOCKED);
	}
	charge_pool(flow, w, lacks);
	tfr_control_wait_for_work(flow->control);
	tfr_span_end(&w->idle);
}

/* Finds a job of a node; NULL: a batch to complete, or all is over. */
static struct tfr_flow_node *next_job(struct tfr_flow *flow, struct tfr_worker *w)
{
	enum tfr_lack lacks[NODES_MAX];
	uint64_t moves;

	assert(flow->node_count >= 2); /* the source, and a last node */
	w->batch = NULL;
	while (!flow->control->stopping) {
		w->batch = tfr_transfer_take_incomplete(flow->transfer);
		if (w->batch)
			return NULL;
		moves = flow->control->moves;
		for (struct tfr_flow_node *n = flow->last - 1; n > flow->nodes; n--)
			if (is_dry(flow, n) && claim_job(flow, w, n, lacks))
				return n;
		for (struct tfr_flow_node *n = flow->last; n > flow->nodes; n--)
			if (claim_job(flow, w, n, lacks))
				return n;
		/* Looking for work may itself have made some: an end came to light upstream. */
		if (moves == flow->control->moves)
			wait_for_work(flow, w, lacks);
	}
	return NULL;
}

static void *worker_main(void *arg)
{
	struct tfr_worker *w = arg;
	struct tfr_flow *flow = w->flow;
	struct tfr_flow_node *n;

	pthread_mutex_lock(&flow->control->lock);
	while ((n = next_job(flow, w)) || w->batch) {
		pthread_mutex_unlock(&flow->control->lock);
		tfr_work_time_begin(&w->time);
		if (n)
			jobs[n->kind].run(flow, w);
		else
			tfr_records_run(flow, w);
	}
	pthread_mutex_unlock(&flow->control->lock);
	return NULL;
}

/* ---- from start to end ---- */

static enum tfr_status allocate_slots(struct tfr_flow_node *n, struct tfr_error *err)
{
	n->slots = calloc(n->slot_count, sizeof(*n->slots));
	for (unsigned i = 0; n->slots && i < n->slot_count; i++) {
		struct tfr_node_slot *s = &n->slots[i];

		s->in = calloc(n->per_job, sizeof(struct tfr_pipeline_sample *));
		s->out_capacity = n->per_job;
		s->out = calloc(s->out_capacity, sizeof(struct tfr_pipeline_sample *));
		if (!s->in || !s->out)
			return tfr_fail_nomem(err, "starting the workers");
	}
	return n->slots ? TFR_OK : tfr_fail_nomem(err, "starting the workers");
}

static void clear_node(struct tfr_flow *flow, struct tfr_flow_node *n)
{
	struct tfr_pipeline_sample *s;

	for (unsigned i = 0; n->slots && i < n->slot_count; i++) {
		struct tfr_node_slot *slot = &n->slots[i];

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
	tfr_sample_cache_clear(&n->cache);
}

static enum tfr_status worker_init(struct tfr_flow *flow, unsigned number, struct tfr_error *err)
{
	const struct tfr_settings *settings = flow->settings;
	struct tfr_worker *w = &flow->workers[number];

	w->flow = flow;
	w->time.thread = number;
	w->example = tfr_example_new();
	w->places = calloc(tfr_flow_copies(flow), sizeof(*w->places));
	w->dropped = calloc(DROP_AT_ONCE, sizeof(struct tfr_pipeline_sample *));
	if (!w->example || !w->places || !w->dropped)
		return tfr_fail_nomem(err, "starting the workers");
	if (settings->opts.where)
		TFR_TRY(tfr_where_compile(&w->where, settings->opts.where, err));
	if (settings->features)
		TFR_TRY(tfr_feature_block_parser(settings->features, &w->parser, err));
	return settings->images ? tfr_image_executor_new(&w->executor, settings->opts.memory / 4,
					  settings->opts.fast_decode, err)
				: TFR_OK;
}

enum tfr_status tfr_flow_start(struct tfr_flow *flow, struct tfr_error *err)
{
	unsigned threads = flow->settings->opts.threads;
	int rc = 0;

	for (unsigned i = 1; i < flow->node_count; i++)
		if (flow->nodes[i].kind < NODE_PLACE)
			TFR_TRY(allocate_slots(&flow->nodes[i], err));
	flow->workers = calloc(threads, sizeof(*flow->workers));
	flow->threads = calloc(threads, sizeof(*flow->threads));
	if (!flow->workers || !flow->threads)
		return tfr_fail_nomem(err, "starting the workers");
	for (unsigned i = 0; i < threads; i++)
		TFR_TRY(worker_init(flow, i, err));
	pthread_mutex_lock(&flow->control->lock);
	for (unsigned i = 0; i < threads; i++)
		tfr_statistics_watch(flow->statistics, &flow->workers[i].idle);
	pthread_mutex_unlock(&flow->control->lock);
	for (unsigned i = 0; rc == 0 && i < threads; i++) {
		rc = pthread_create(&flow->threads[i], NULL, worker_main, &flow->workers[i]);
		flow->threads_started += rc == 0;
	}
	return rc ? tfr_fail(err, TFR_ESYS, "cannot start the workers: %s", strerror(rc)) : TFR_OK;
}

void tfr_flow_stop(struct tfr_flow *flow)
{
	for (unsigned i = 0; i < flow->threads_started; i++)
		pthread_join(flow->threads[i], NULL);
}

void tfr_flow_warn(struct tfr_flow *flow)
{
	struct tfr_feature_watch *all = NULL;

	for (unsigned i = 0; flow->workers && i < flow->settings->opts.threads; i++) {
		struct tfr_where *where = flow->workers[i].where;

		if (where && all)
			tfr_feature_watch_merge(all, tfr_where_lookout(where));
		else if (where)
			all = tfr_where_lookout(where);
	}
	if (all)
		tfr_feature_watch_warn(all, flow->settings->opts.warn, flow->settings->opts.ctx);
}

void tfr_flow_free(struct tfr_flow *flow)
{
	if (!flow)
		return;
	for (unsigned i = 0; i < flow->node_count; i++)
		clear_node(flow, &flow->nodes[i]);
	for (unsigned i = 0; flow->workers && i < flow->settings->opts.threads; i++) {
		struct tfr_worker *w = &flow->workers[i];

		tfr_image_executor_free(w->executor);
		tfr_example_free(w->example);
		tfr_where_free(w->where);
		tfr_batch_parser_free(w->parser);
		free(w->places);
		free(w->dropped);
	}
	free(flow->workers);
	free(flow->threads);
	free(flow);
}

/* ---- reports ---- */

uint64_t tfr_flow_epochs(const struct tfr_flow *flow)
{
	return flow->last->epochs;
}

unsigned tfr_flow_waiting_row(const struct tfr_flow *flow)
{
	unsigned row = 0;

	for (unsigned i = 1; i < flow->node_count; i++) {
		const struct tfr_flow_node *n = &flow->nodes[i];

		if ((waiting_at(flow, n - 1) || n->claimed > n->taken) &&
			n->row < flow->settings->list.count)
			row = n->row;
	}
	return row;
}

/* The queue after a node, as the next one found it, is that of its last stage. */
void tfr_flow_report(const struct tfr_flow *flow, struct tfr_pipeline_stats *st)
{
	uint64_t largest = flow->settings->plan.shuffle, least = UINT64_MAX;

	for (unsigned i = 1; i < flow->node_count; i++) {
		const struct tfr_flow_node *n = &flow->nodes[i];
		struct tfr_stage_stats *s = &st->stages[n->row];
		bool shuffle = n->kind == NODE_SHUFFLE;

		if (n->kind >= NODE_PLACE || !n->to)
			continue;
		s->queue_mean = n->looks ? (double)n->seen / (double)n->looks : 0;
		s->queue_now = shuffle ? n->held : n->waiting;
		s->queue_capacity = shuffle ? n->shuffler.capacity : tfr_flow_node_capacity(n);
		if (shuffle && n->least < least && n->shuffler.capacity == largest)
			least = n->least;
	}
	st->shuffle_least = least == UINT64_MAX ? largest : least;
}
