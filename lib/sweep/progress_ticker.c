/* sweep/progress_ticker.c - calls back twenty times per second, for any number of threads. */
#include "sweep/progress_ticker.h"

#include "base/clock.h"
#include "base/error.h"

#define INTERVAL 50000000u /* nanoseconds */

void tfr_ticker_init(struct tfr_ticker *t, struct tfr_sweep_opts opts, const char *phase,
	uint64_t total_items, uint64_t total_bytes)
{
	*t = (struct tfr_ticker){
		.opts = opts,
		.phase = phase,
		.progress = { .total_items = total_items, .total_bytes = total_bytes },
	};
	pthread_mutex_init(&t->lock, NULL);
}

static void tell(struct tfr_ticker *t)
{
	struct tfr_progress p = {
		.items = __atomic_load_n(&t->progress.items, __ATOMIC_RELAXED),
		.bytes = __atomic_load_n(&t->progress.bytes, __ATOMIC_RELAXED),
		.total_items = t->progress.total_items,
		.total_bytes = t->progress.total_bytes,
	};

	if (!t->opts.progress(t->opts.ctx, t->phase, &p))
		__atomic_store_n(&t->cancelled, true, __ATOMIC_RELAXED);
}

void tfr_ticker_clear(struct tfr_ticker *t)
{
	if (t->opts.progress)
		tell(t);
	pthread_mutex_destroy(&t->lock);
}

void tfr_ticker_add(struct tfr_ticker *t, uint64_t items, uint64_t bytes)
{
	uint64_t now;

	tfr_progress_add(&t->progress, items, bytes);
	if (!t->opts.progress || pthread_mutex_trylock(&t->lock))
		return;
	now = tfr_clock_ns();
	if (now - t->last >= INTERVAL) {
		t->last = now;
		tell(t);
	}
	pthread_mutex_unlock(&t->lock);
}

enum tfr_status tfr_ticker_check(struct tfr_ticker *t, struct tfr_error *err)
{
	if (__atomic_load_n(&t->cancelled, __ATOMIC_RELAXED))
		return tfr_fail(err, TFR_ECANCELLED, "cancelled");
	return TFR_OK;
}
