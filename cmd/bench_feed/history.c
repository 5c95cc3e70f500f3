/* cmd/bench_feed/history.c - a thread that samples the pipeline ten times per second.
 *
 * Points hold counts, not rates, so dropping every other point loses only detail.  A long run has
 * between POINTS / 2 and POINTS of them. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "bench_feed/bench_feed.h"
#include "bench_feed/trace.h"

enum { POINTS = 600 };
#define LOOK 0.1 /* seconds */

struct feed_history {
	struct feed *f;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t stop_now;
	bool running, stop;
	struct feed_live *live;
	struct tfr_pipeline_stats stats; /* too large for a stack */
	uint64_t looks, every;		 /* one point per so many samples */
	unsigned count;
	struct feed_point points[POINTS];
};

static void keep(struct feed_history *h)
{
	const struct tfr_pipeline_stats *st = &h->stats;

	assert(h->every && h->count && h->count <= POINTS);
	if (h->looks++ % h->every)
		return;
	if (h->count == POINTS) {
		for (unsigned i = 1; i < POINTS / 2; i++)
			h->points[i] = h->points[2 * i];
		h->count = POINTS / 2;
		h->every *= 2;
	}
	h->points[h->count++] = (struct feed_point){
		.seconds = st->seconds,
		.records = st->records,
		.bytes = st->bytes,
		.device_bytes = st->device_bytes,
		.batches = st->batches,
	};
}

static void look(struct feed_history *h)
{
	tfr_pipeline_stats(h->f->pipeline, &h->stats);
	keep(h);
	feed_trace_queues(h->f->trace, &h->stats);
	if (h->live)
		feed_live_draw(h->live, &h->stats);
}

static void *history_main(void *arg)
{
	struct feed_history *h = arg;

	pthread_mutex_lock(&h->lock);
	while (!h->stop) {
		struct timespec until;

		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += (long)(LOOK * 1e9);
		if (until.tv_nsec >= 1000000000) {
			until.tv_nsec -= 1000000000;
			until.tv_sec++;
		}
		while (!h->stop && !pthread_cond_timedwait(&h->stop_now, &h->lock, &until))
			;
		if (!h->stop)
			look(h);
	}
	pthread_mutex_unlock(&h->lock);
	return NULL;
}

struct feed_history *feed_history_new(struct feed *f)
{
	struct feed_history *h = calloc(1, sizeof(*h));
	pthread_condattr_t attr;

	if (!h)
		return NULL;
	h->f = f;
	h->every = 1;
	h->count = 1; /* the start: all counts are 0 */
	h->live = feed_live_open(f);
	pthread_mutex_init(&h->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&h->stop_now, &attr);
	pthread_condattr_destroy(&attr);
	return h;
}

void feed_history_start(struct feed_history *h)
{
	h->running = pthread_create(&h->thread, NULL, history_main, h) == 0;
}

void feed_history_stop(struct feed_history *h)
{
	if (!h->running)
		return;
	pthread_mutex_lock(&h->lock);
	h->stop = true;
	pthread_cond_signal(&h->stop_now);
	pthread_mutex_unlock(&h->lock);
	pthread_join(h->thread, NULL);
	h->running = false;
	feed_live_hide(h->live);
	/* The last point is the end.  A point just before it would give the rate of a few
	 * milliseconds, which is noise. */
	h->looks = 0;
	tfr_pipeline_stats(h->f->pipeline, &h->stats);
	if (h->count > 1 && h->stats.seconds - h->points[h->count - 1].seconds < LOOK / 2)
		h->count--;
	keep(h);
}

void feed_history_free(struct feed_history *h)
{
	if (!h)
		return;
	feed_live_close(h->live);
	pthread_cond_destroy(&h->stop_now);
	pthread_mutex_destroy(&h->lock);
	free(h);
}

const struct feed_point *feed_history_points(const struct feed_history *h, unsigned *count)
{
	*count = h ? h->count : 0;
	return h ? h->points : NULL;
}

/* The records by a moment, interpolated between two points. */
static double records_at(const struct feed_history *h, double seconds)
{
	const struct feed_point *p = h->points;
	unsigned i = 1;
	double span, share;

	assert(h->count > 1);
	while (i + 1 < h->count && p[i].seconds < seconds)
		i++;
	span = p[i].seconds - p[i - 1].seconds;
	share = span > 0 ? (seconds - p[i - 1].seconds) / span : 1;
	share = share < 0 ? 0 : share > 1 ? 1 : share;
	return (double)p[i - 1].records + share * (double)(p[i].records - p[i - 1].records);
}

unsigned feed_history_rates(const struct feed_history *h, double *rates, unsigned most)
{
	unsigned parts = h && h->count > 3 ? h->count - 1 : 0;
	uint64_t batches = parts ? h->points[h->count - 1].batches : 0;
	double end = parts ? h->points[h->count - 1].seconds : 0;

	assert(most);
	if (!batches)
		return 0;
	/* Records arrive in batches: a part shorter than a batch would be all or nothing. */
	if (parts > 3 + batches / 3)
		parts = 3 + (unsigned)(batches / 3);
	parts = parts < most ? parts : most;
	for (unsigned i = 0; i < parts; i++)
		rates[i] = (records_at(h, end * (i + 1) / parts) - records_at(h, end * i / parts)) *
			   parts / end;
	return parts;
}

void feed_history_hide(struct feed_history *h)
{
	if (h)
		feed_live_hide(h->live);
}
