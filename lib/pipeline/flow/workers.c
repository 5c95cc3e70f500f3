/* pipeline/flow/workers.c - the pool: every worker takes the job furthest downstream that has input
 * and room.
 *
 * A job is a claim, which under the lock takes what the job needs or says what it lacks, and a run,
 * which does the work without the lock.  The one exception to downstream first: what waits before a
 * node may not run dry, or all but the one worker who then feeds it stand idle.  A worker with
 * nothing to do charges its time to the stages by what each one lacked. */
#include "base/error.h"
#include "pipeline/state.h"

/* A tick of a coarse clock of processor time, of which one job may get all. */
enum { CPU_LEFT_MOST = 10000000 };

static bool claim(
	struct tfr_pipeline *p, struct tfr_worker *w, struct tfr_flow_node *n, enum tfr_lack *lack)
{
	*lack = LACK_NOTHING;
	switch (n->kind) {
	case NODE_MAP:
		return tfr_map_claim(p, w, n, lack);
	case NODE_SHUFFLE:
	case NODE_CACHE:
	case NODE_PREFETCH:
		return tfr_ordered_claim(p, w, n, lack);
	case NODE_PLACE:
		return tfr_place_claim(p, w, n, lack);
	case NODE_RECORDS:
		return tfr_records_claim(p, w, n, lack);
	case NODE_DROP:
		return tfr_drop_claim(p, w, n, lack);
	case NODE_SOURCE:
		break;
	}
	return false;
}

static void run(struct tfr_pipeline *p, struct tfr_worker *w, struct tfr_flow_node *n)
{
	switch (n->kind) {
	case NODE_MAP:
		tfr_map_run(p, w);
		break;
	case NODE_PLACE:
		tfr_place_run(p, w);
		break;
	case NODE_RECORDS:
		tfr_complete_run(p, w);
		break;
	case NODE_DROP:
		tfr_drop_run(p, w);
		break;
	default:
		tfr_ordered_run(p, w);
	}
}

/* A job is measured by the clock, stage by stage, and by what its thread had of a processor, as a
 * whole: each stage gets its part of that.  The rest of the job's time others had the processor. */
static uint64_t charge_processor(struct tfr_pipeline *p, struct tfr_worker *w)
{
	uint64_t wall = 0, cpu;
	double part;

	for (unsigned i = 0; i < p->rows; i++)
		wall += w->spent[i].busy;
	w->cpu_left += tfr_clock_thread_ns() - w->cpu_began;
	cpu = w->cpu_left < wall ? w->cpu_left : wall;
	w->cpu_left -= cpu;
	if (w->cpu_left > CPU_LEFT_MOST)
		w->cpu_left = CPU_LEFT_MOST;
	part = wall ? (double)cpu / (double)wall : 1;
	for (unsigned i = 0; i < p->rows; i++)
		w->spent[i].busy = (uint64_t)((double)w->spent[i].busy * part);
	return wall - cpu;
}

void tfr_worker_settle(struct tfr_pipeline *p, struct tfr_worker *w)
{
	uint64_t waited = charge_processor(p, w);

	pthread_mutex_lock(&p->lock);
	p->pool_waited += waited;
	for (unsigned i = 0; i < p->rows; i++) {
		struct tfr_stage_counter *c = &p->counters[i], *s = &w->spent[i];

		c->busy += s->busy;
		c->items += s->items;
		c->bytes += s->bytes;
		*s = (struct tfr_stage_counter){ 0 };
	}
}

static void charge_stages(struct tfr_pipeline *p, struct tfr_worker *w,
	const struct tfr_flow_node *n, enum tfr_lack lack)
{
	for (unsigned i = n->from; lack && i < n->to && i < p->rows; i++) {
		struct tfr_stage_counter *c = &p->counters[i];

		tfr_span_charge(&w->idle, lack == LACK_INPUT ? &c->starved : &c->blocked);
	}
}

/* Why the pool as a whole has less work than workers: its last node has no room, or its first no
 * input, or one that is run by one worker at a time is being run. */
static void charge_pool(struct tfr_pipeline *p, struct tfr_worker *w, const enum tfr_lack *lacks)
{
	bool serial = false;

	for (unsigned i = 1; i < p->node_count; i++)
		serial |= p->nodes[i].running;
	if (lacks[p->node_count - 1] == LACK_ROOM)
		tfr_span_charge(&w->idle, &p->pool_blocked);
	else if (serial)
		tfr_span_charge(&w->idle, &p->pool_serial);
	else if (lacks[1] == LACK_INPUT)
		tfr_span_charge(&w->idle, &p->pool_starved);
}

static bool is_dry(const struct tfr_pipeline *p, const struct tfr_flow_node *n)
{
	const struct tfr_flow_node *next = n + 1;
	uint64_t enough =
		(uint64_t)p->opts.threads * (next->kind == NODE_PLACE	      ? 1
						    : next->kind < NODE_PLACE ? next->grain
									      : 1);

	return n->waiting < enough && n->waiting < n->grain + enough;
}

static bool wait_for_work(struct tfr_pipeline *p, struct tfr_worker *w, const enum tfr_lack *lacks)
{
	w->idle = (struct tfr_span){ .since = tfr_clock_ns() };
	for (unsigned i = 1; i < p->node_count; i++)
		charge_stages(p, w, &p->nodes[i], lacks[i]);
	charge_pool(p, w, lacks);
	p->idle_workers++;
	pthread_cond_wait(&p->work, &p->lock);
	p->idle_workers--;
	tfr_span_end(&w->idle);
	return true;
}

/* Finds a job of a node; NULL: a batch to complete, or all is over. */
static struct tfr_flow_node *next_job(struct tfr_pipeline *p, struct tfr_worker *w)
{
	struct tfr_flow_node *last = tfr_flow_last(p);
	enum tfr_lack lacks[NODES_MAX];
	uint64_t moves;

	w->fill = NULL;
	do {
		if (p->stopping || tfr_complete_claim(p, w))
			return NULL;
		moves = p->moves;
		for (struct tfr_flow_node *n = last - 1; n > p->nodes; n--)
			if (is_dry(p, n) && claim(p, w, n, &lacks[n - p->nodes]))
				return n;
		for (struct tfr_flow_node *n = last; n > p->nodes; n--)
			if (claim(p, w, n, &lacks[n - p->nodes]))
				return n;
		/* Looking for work may itself have made some: an end came to light upstream. */
	} while (moves != p->moves || wait_for_work(p, w, lacks));
	return NULL;
}

void *tfr_worker_main(void *arg)
{
	struct tfr_worker *w = arg;
	struct tfr_pipeline *p = w->p;
	struct tfr_flow_node *n;

	pthread_mutex_lock(&p->lock);
	while ((n = next_job(p, w)) || w->fill) {
		pthread_mutex_unlock(&p->lock);
		w->cpu_began = tfr_clock_thread_ns();
		if (n)
			run(p, w, n);
		else
			tfr_complete_run(p, w);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}
