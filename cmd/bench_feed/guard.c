/* cmd/bench_feed/guard.c - ends a run whose main thread is in a call of a driver that never
 * returns.
 *
 * The pipeline notices uploads that hang, but opening, closing, computing and measuring are calls
 * of the thread that takes batches.  In each of these phases that thread gives signs of life: when
 * a phase begins, and whenever it asks whether it is to stop.  Without a sign for longer than
 * --stall-timeout, another thread reports in its place and ends the process: the stuck thread
 * cannot be stopped, and closing would wait for the same driver.  A report is not a phase, since a
 * reader of standard output may take as long as it likes. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "bench_feed/bench_feed.h"

/* Between two looks; and how much longer than the pipeline, which knows more, this waits. */
enum { LOOK_NS = 100000000, LATER_NS = 700000000 };

struct feed_guard {
	struct feed *f;
	pthread_t thread;
	pthread_mutex_t lock; /* held while this ends the process, so that a late return waits */
	pthread_cond_t changed;
	const char *doing; /* NULL: between phases */
	uint64_t alive_ns;
	double least;
	bool stopping;
};

/* For how long the driver is waited for; 0: for ever. */
static double patience(const struct feed_guard *g)
{
	double limit = g->f->s->opts.stall_timeout;

	return limit > 0 && limit < g->least ? g->least : limit;
}

/* Whether the phase is stuck. */
static bool is_stuck(const struct feed_guard *g)
{
	uint64_t now = feed_trace_now(), from = g->alive_ns + LATER_NS;
	double limit = patience(g);

	if (!g->doing || now < from)
		return false;
	return *g->f->interrupted || (limit > 0 && (double)(now - from) * 1e-9 >= limit);
}

static void *watch(void *arg)
{
	struct feed_guard *g = arg;

	pthread_mutex_lock(&g->lock);
	while (!g->stopping && !is_stuck(g)) {
		struct timespec ts;
		uint64_t until = feed_trace_now() + LOOK_NS;

		ts = (struct timespec){ (time_t)(until / 1000000000), (long)(until % 1000000000) };
		pthread_cond_timedwait(&g->changed, &g->lock, &ts);
	}
	if (!g->stopping) {
		struct tfr_error err = { .status = TFR_ESYS, .sys_errno = ETIMEDOUT };

		snprintf(err.message, sizeof(err.message),
			"nothing moved for %g s: the driver of '%.100s' does not answer, while %s",
			patience(g), g->f->s->device, g->doing);
		feed_hint_stuck(g->f, &err);
		feed_end_stuck(g->f, *g->f->interrupted ? NULL : &err);
	}
	pthread_mutex_unlock(&g->lock);
	return NULL;
}

struct feed_guard *feed_guard_new(struct feed *f)
{
	struct feed_guard *g = calloc(1, sizeof(*g));
	pthread_condattr_t attr;

	if (!g)
		return NULL;
	g->f = f;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_mutex_init(&g->lock, NULL);
	pthread_cond_init(&g->changed, &attr);
	pthread_condattr_destroy(&attr);
	if (pthread_create(&g->thread, NULL, watch, g) == 0)
		return g;
	pthread_cond_destroy(&g->changed);
	pthread_mutex_destroy(&g->lock);
	free(g);
	return NULL;
}

void feed_guard_free(struct feed_guard *g)
{
	if (!g)
		return;
	pthread_mutex_lock(&g->lock);
	g->stopping = true;
	pthread_cond_signal(&g->changed);
	pthread_mutex_unlock(&g->lock);
	pthread_join(g->thread, NULL);
	pthread_cond_destroy(&g->changed);
	pthread_mutex_destroy(&g->lock);
	free(g);
}

void feed_guard_phase(struct feed_guard *g, const char *doing, double least)
{
	if (!g)
		return;
	pthread_mutex_lock(&g->lock);
	g->doing = doing;
	g->least = least;
	g->alive_ns = feed_trace_now();
	pthread_mutex_unlock(&g->lock);
}

void feed_guard_alive(struct feed_guard *g)
{
	if (!g)
		return;
	pthread_mutex_lock(&g->lock);
	g->alive_ns = feed_trace_now();
	pthread_mutex_unlock(&g->lock);
}
