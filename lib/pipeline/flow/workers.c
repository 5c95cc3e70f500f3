/* pipeline/flow/workers.c - the pool: each worker takes the job furthest downstream that has
 * input and room.
 *
 * A job is a claim, which takes the input under the lock or says what is missing, and a run,
 * which does the work without the lock.  There is one exception to downstream first: the queue
 * before a node may not run dry, or all workers but the one that refills it would be idle.  An
 * idle worker charges its time to the stages by what each one lacks. */
#include <assert.h>

#include "pipeline/flow/nodes.h"

static const struct {
	bool (*claim)(struct tfr_flow *flow, struct tfr_worker *w, struct tfr_flow_node *n,
		enum tfr_lack *lack);
	void (*run)(struct tfr_flow *flow, struct tfr_worker *w);
} jobs[] = {
	[NODE_MAP] = { tfr_map_claim, tfr_map_run },
	[NODE_SHUFFLE] = { tfr_ordered_claim, tfr_ordered_run },
	[NODE_CACHE] = { tfr_ordered_claim, tfr_ordered_run },
	[NODE_PREFETCH] = { tfr_ordered_claim, tfr_ordered_run },
	[NODE_PLACE] = { tfr_place_claim, tfr_place_run },
	[NODE_RECORDS] = { tfr_records_claim, tfr_records_run },
	[NODE_DROP] = { tfr_drop_claim, tfr_drop_run },
};

static bool claim(
	struct tfr_flow *flow, struct tfr_worker *w, struct tfr_flow_node *n, enum tfr_lack *lacks)
{
	enum tfr_lack *lack = &lacks[n - flow->nodes];

	*lack = LACK_NOTHING;
	return jobs[n->kind].claim(flow, w, n, lack);
}

void tfr_worker_settle(struct tfr_flow *flow, struct tfr_worker *w)
{
	uint64_t waited = tfr_job_time_end(flow->statistics, &w->time);

	pthread_mutex_lock(&flow->control->lock);
	tfr_statistics_add_job(flow->statistics, &w->time, waited);
}

static void charge_stages(struct tfr_flow *flow, struct tfr_worker *w,
	const struct tfr_flow_node *n, enum tfr_lack lack)
{
	enum tfr_account which = lack == LACK_INPUT ? TFR_ACCOUNT_STARVED : TFR_ACCOUNT_BLOCKED;

	for (unsigned i = n->from; lack && i < n->to && i < flow->set->rows; i++)
		tfr_span_charge(&w->idle, tfr_statistics_account(flow->statistics, i, which));
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
	tfr_span_charge(&w->idle, tfr_statistics_pool_account(flow->statistics, why));
}

static bool is_dry(const struct tfr_flow *flow, const struct tfr_flow_node *n)
{
	const struct tfr_flow_node *next = n + 1;
	uint64_t enough =
		flow->set->opts.threads * (uint64_t)(next->kind < NODE_PLACE ? next->per_job : 1);

	return n->waiting < enough;
}

static bool wait_for_work(struct tfr_flow *flow, struct tfr_worker *w, const enum tfr_lack *lacks)
{
	tfr_span_begin(&w->idle);
	for (unsigned i = 1; i < flow->node_count; i++)
		charge_stages(flow, w, &flow->nodes[i], lacks[i]);
	charge_pool(flow, w, lacks);
	tfr_feed_wait_for_work(flow->control);
	tfr_span_end(&w->idle);
	return true;
}

/* Finds a job of a node; NULL: a batch to complete, or all is over. */
static struct tfr_flow_node *next_job(struct tfr_flow *flow, struct tfr_worker *w)
{
	struct tfr_flow_node *last = tfr_flow_last(flow);
	enum tfr_lack lacks[NODES_MAX];
	uint64_t moves;

	assert(flow->node_count >= 2); /* the source, and a last node */
	w->batch = NULL;
	do {
		if (flow->control->stopping)
			return NULL;
		w->batch = tfr_transfer_take_incomplete(flow->transfer);
		if (w->batch)
			return NULL;
		moves = flow->control->moves;
		for (struct tfr_flow_node *n = last - 1; n > flow->nodes; n--)
			if (is_dry(flow, n) && claim(flow, w, n, lacks))
				return n;
		for (struct tfr_flow_node *n = last; n > flow->nodes; n--)
			if (claim(flow, w, n, lacks))
				return n;
		/* Looking for work may itself have made some: an end came to light upstream. */
	} while (moves != flow->control->moves || wait_for_work(flow, w, lacks));
	return NULL;
}

void *tfr_worker_main(void *arg)
{
	struct tfr_worker *w = arg;
	struct tfr_flow *flow = w->flow;
	struct tfr_flow_node *n;

	pthread_mutex_lock(&flow->control->lock);
	while ((n = next_job(flow, w)) || w->batch) {
		pthread_mutex_unlock(&flow->control->lock);
		tfr_job_time_begin(&w->time);
		if (n)
			jobs[n->kind].run(flow, w);
		else
			tfr_records_run(flow, w);
	}
	pthread_mutex_unlock(&flow->control->lock);
	return NULL;
}
